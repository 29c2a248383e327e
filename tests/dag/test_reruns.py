"""Change this, exactly these jobs rerun."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from project_copy import Project

pytestmark = pytest.mark.dag

STUDY = "studies=simulated"
RESULTS = "results/simulated"
EVALUATION = "workflow/lib/routeaudit/cover/evaluation"
REPORT = {"report"}
INFER = {"infer"} | REPORT
SCORE = {"score"} | INFER
MODEL = {"work", "finalize", "gather_messages", "gather_finals"}
GRADE = {"grade"} | SCORE
ROUTES = {"freeze", "plan_heldout"} | MODEL | GRADE


def _override(*settings: str) -> tuple[str, ...]:
    listed = ", ".join(f'"{setting}"' for setting in settings)
    return (f"overrides=[{listed}]",)


def _append(relative: str, text: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / relative
        path.write_text(path.read_text() + text)

    return edit


def _replace(relative: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / relative
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return edit


def _touch_everything(folder: Path) -> None:
    for path in (folder / "results").rglob("*"):
        if path.is_file():
            os.utime(path)


def _remove(relative: str) -> Callable[[Path], None]:
    return lambda folder: (folder / relative).unlink()


@dataclass(frozen=True)
class Case:
    """A change to the configuration or to a file, and the rules that must run again."""

    jobs: set[str]
    overrides: tuple[str, ...] = ()
    edit: Callable[[Path], None] | None = None


CASES = {
    "nothing": Case(set()),
    "a stats parameter": Case(INFER, _override("stats.n_boot=999")),
    "a declared contrast": Case(INFER, _override("+tests.secondary.back={policy: random, reference: bm25}")),
    "the description": Case(REPORT, _override("description=another")),
    "a prompt": Case(ROUTES, _override("stacks.scripted.worker.max_tokens=31")),
    "a router parameter": Case(ROUTES, _override("routers.random.seed=2")),
    "the number of shards": Case(ROUTES, _override("execution.shards=2")),
    "a comment in library code": Case(
        set(), edit=_append("workflow/lib/routeaudit/cover/scoring/regret.py", "\n# a remark\n")
    ),
    "a real edit in scoring": Case(SCORE, edit=_append(f"{EVALUATION}/rows.py", "\nROUNDING = 3\n")),
    "a comment in a script": Case(set(), edit=_append("scripts/score.py", "\n# a remark\n")),
    "touched files": Case(set(), edit=_touch_everything),
    "a missing intermediate": Case(ROUTES, edit=_remove(f"{RESULTS}/train/scripted/messages.parquet")),
}


@pytest.fixture(scope="module")
def finished(project: Project) -> Project:
    """The simulated study, complete."""
    project.snakemake("--config", STUDY)
    return project


@pytest.fixture
def restored(finished: Project) -> Iterator[Project]:
    """The finished project; files edited by a case are put back with their times."""
    kept = {
        path: (path.read_bytes(), path.stat())
        for folder in ("results", "workflow", "scripts")
        for path in (finished.folder / folder).rglob("*")
        if path.is_file() and "journal" not in path.parts and "__pycache__" not in path.parts
    }
    yield finished
    for path, (content, times) in kept.items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("name", CASES)
def test_exactly_these_rules_run_again(restored: Project, name: str) -> None:
    case = CASES[name]
    if case.edit:
        case.edit(restored.folder)
    assert set(restored.planned("--config", STUDY, *case.overrides)) == case.jobs
