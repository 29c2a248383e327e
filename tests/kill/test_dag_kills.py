"""Workers and controllers killed at seeded points of a whole study; a plain rerun goes on where it was.

A campaign is one study: it is started, killed, started again as plainly as before, killed further on, and so
on, then run to its end. Each has five points, two of them in the middle of a journal write. Two campaigns run
with every test run (10 points), ten more with `-m "kill and slow"` (60 in all, 24 inside journal writes).
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from kill.interrupted import Study, kill
from project_copy import Project

pytestmark = [pytest.mark.kill, pytest.mark.timeout(1800)]

RULE = "dag_rule:read"
OVERRIDES = [
    f"stacks.scripted.{role}.model.{setting}"
    for role in ("worker", "finalizer")
    for setting in (f"rule='{RULE}'", "noise=0.0", "delay_s=0.02")
]
VICTIMS = ("worker", "controller", "both")
BEFORE_TRAINING = ("ingest", "split", "publish", "plan_train")
AFTER_MESSAGES = ("work train", "finalize train", "grade train", "freeze", "plan_heldout")
AFTER_ANSWERS = ("grade heldout", "score", "infer", "report")


@dataclass(frozen=True)
class Point:
    """One kill: of whom, `delay_s` after a stage is seen, or inside a write to a journal of `after_bytes`."""

    where: str
    victim: str
    delay_s: float = 0.0
    after_bytes: int | None = None


def campaign(seed: int) -> list[Point]:
    """Five points in the order of the study's stages."""
    chance = random.Random(seed)

    def stage(*stages: str) -> Point:
        return Point(chance.choice(stages), chance.choice(VICTIMS), delay_s=chance.uniform(0.0, 0.4))

    def write(*journals: str) -> Point:
        return Point(chance.choice(journals), chance.choice(VICTIMS), after_bytes=chance.randrange(20_000))

    return [
        stage(*BEFORE_TRAINING),
        write("train-scripted-messages"),
        stage(*AFTER_MESSAGES),
        write("heldout-scripted-messages", "heldout-scripted-finals"),
        stage(*AFTER_ANSWERS),
    ]


def sent(study: Study) -> list[str]:
    """Keys of the requests that were handed to the model, in order."""
    path = study.folder / "sent.txt"
    return path.read_text().split() if path.exists() else []


def finished(study: Study) -> set[str]:
    """Keys of the requests whose line is in a journal."""
    return set(study.journals().completions)


def run_to(study: Study, point: Point) -> bool:
    """Run until the point and kill there; False if the study ended without passing it."""
    stab = study.folder / "stab.json"
    if point.after_bytes is not None:
        plan = {"journal": point.where, "bytes": point.after_bytes, "victim": point.victim}
        stab.write_text(json.dumps(plan))
    controller = study.start()
    if point.after_bytes is None:
        kill_at_stage(study, point, controller)
    status = study.end(controller)
    stab.unlink(missing_ok=True)
    return status != 0


def kill_at_stage(study: Study, point: Point, controller: subprocess.Popen[bytes]) -> None:
    """Wait for a process of the point's stage and kill; return where the study ends before."""
    while controller.poll() is None:
        workers = study.workers_at(point.where)
        if workers:
            time.sleep(point.delay_s)
            kill(point.victim, controller.pid, workers)
            return
        time.sleep(0.03)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project's files at one moment, without results."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def clean(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study that nobody killed."""
    study = Study(project, tmp_path_factory.mktemp("clean"), "simulated", OVERRIDES)
    study.run()
    assert len(sent(study)) == len(set(sent(study))) == len(finished(study))
    return study


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.slow] if seed >= 2 else []) for seed in range(12)]
)
def test_a_study_killed_five_times_ends_like_the_clean_one(
    tmp_path: Path, project: Project, clean: Study, seed: int
) -> None:
    study = Study(project, tmp_path, "simulated", OVERRIDES)
    killed = []
    for point in campaign(seed):
        before, done = len(sent(study)), finished(study)
        killed.append(run_to(study, point))
        again = set(sent(study)[before:]) & done
        assert not again, f"{point} sent {len(again)} finished requests again"
    before, done = len(sent(study)), finished(study)
    study.run()
    assert not set(sent(study)[before:]) & done
    assert study.digests() == clean.digests()
    assert finished(study) == finished(clean)
    assert len(sent(study)) <= len(sent(clean)) + sum(killed), "at most the request in flight is sent again"
    assert sum(killed) >= 4, f"only {killed} of {campaign(seed)} met a living study"
    print(re.sub(r"\s+", " ", f"seed {seed}: killed {killed}, {len(sent(study))} sent, {campaign(seed)}"))
