"""Workers and controllers killed while the embedded model answers; a plain rerun goes on where it was."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from kill.interrupted import Study, kill, until
from project_copy import Project
from routeaudit.execution import completions_digest
from routeaudit.tables import read_json

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.llm, pytest.mark.timeout(1800)]

STACK = "stacks.smollm2"
OVERRIDES = [
    *("benchmark.n_tasks=8", "split.n_train=4", "split.n_heldout=4"),
    *(f"{STACK}.{role}.examples=[]" for role in ("worker", "finalizer")),
    *(f"{STACK}.{role}.model.threads=1" for role in ("worker", "finalizer")),
    f"{STACK}.finalizer.max_tokens=6",
]
REQUESTS = 16  # of the workers in one phase: four tasks, four workers
ANSWERED = 3  # before the kill


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project's files at one moment, without results."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def clean(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study that nobody killed."""
    study = Study(project, tmp_path_factory.mktemp("clean"), "demo", OVERRIDES)
    study.run()
    return study


def answered(study: Study, phase: str) -> int:
    """Requests of the phase's workers whose line is in the journal."""
    journal = study.folder / f"results/journal/demo-{phase}-smollm2-messages-1-of-1.jsonl"
    return journal.read_bytes().count(b'"kind":"completion"') if journal.exists() else 0


@pytest.mark.parametrize(
    ("victim", "phase"), [("worker", "train"), ("controller", "heldout"), ("both", "train")]
)
def test_a_kill_while_the_model_answers_loses_at_most_that_answer(
    tmp_path: Path, project: Project, clean: Study, victim: str, phase: str
) -> None:
    study = Study(project, tmp_path, "demo", OVERRIDES)
    controller = study.start()
    until(lambda: answered(study, phase) >= ANSWERED, "the model's first answers", seconds=600)
    time.sleep(random.Random(f"{victim} {phase}").uniform(0.0, 0.5))
    kill(victim, controller.pid, study.workers_at(f"work {phase}"))
    assert study.end(controller) != 0
    before = answered(study, phase)
    assert ANSWERED <= before < REQUESTS, "the kill met a model at work"
    study.run()
    account = read_json(study.results / "logs" / "accounts" / phase / "smollm2" / "messages-1-of-1.json")
    assert (account["reused"], account["sent"]) == (before, REQUESTS - before)
    journals = study.journals()
    assert journals.repeated == 0
    assert completions_digest(journals.completions) == completions_digest(clean.journals().completions)
    assert study.digests() == clean.digests()
