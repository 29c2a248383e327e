"""Workers and controllers killed at seeded points of a whole study; a plain rerun goes on where it was.

A campaign is one study: it is started, killed, started again as plainly as before, killed further on, and so
on, then run to its end. Each has five points, two of them in the middle of a journal write. Two campaigns run
with every test run (10 points), ten more with `-m "kill and slow"` (60 in all, 24 inside journal writes).
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from project_copy import Project
from routeaudit.execution import read_journals
from routeaudit.tables import content_digest

pytestmark = [pytest.mark.kill, pytest.mark.timeout(1800)]

RULE = "dag_rule:read"
OVERRIDES = [
    f"stacks.scripted.{role}.model.{setting}"
    for role in ("worker", "finalizer")
    for setting in (f"rule='{RULE}'", "noise=0.0", "delay_s=0.02")
]
STUDY = ("--config", "studies=simulated", f"overrides={json.dumps(OVERRIDES)}")
VICTIMS = ("worker", "controller", "both")
BEFORE_TRAINING = ("ingest", "split", "publish", "plan_train")
AFTER_MESSAGES = ("work train", "finalize train", "grade train", "freeze", "plan_heldout")
AFTER_ANSWERS = ("grade heldout", "score", "infer", "report")
END_S = 900


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


class Study:
    """A project whose study is run, killed and run again."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.folder = Project(folder, project.folder).folder
        self.log = folder / "run.log"

    def start(self) -> subprocess.Popen[bytes]:
        """The plain command, always the same."""
        variables = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
        with self.log.open("w") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "snakemake", "--cores", "2", *STUDY],
                cwd=self.folder,
                env=variables | {"PYTHONPATH": str(Path(__file__).parent)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def run(self) -> None:
        """Run to the end."""
        assert self.start().wait(END_S) == 0, self.log.read_text()[-6000:]

    def digests(self) -> dict[str, str]:
        """Content digest of every table."""
        tables = sorted((self.folder / "results" / "simulated").rglob("*.parquet"))
        return {str(path.relative_to(self.folder)): content_digest(path) for path in tables}

    def sent(self) -> list[str]:
        """Keys of the requests that were handed to the model, in order."""
        path = self.folder / "sent.txt"
        return path.read_text().split() if path.exists() else []

    def finished(self) -> set[str]:
        """Keys of the requests whose line is in a journal."""
        return set(read_journals(self.folder / "results" / "journal").completions)

    def workers(self) -> dict[int, str]:
        """Living stage processes of this project: id -> stage, and its phase where it has one."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().decode().split("\0")
                here = Path(os.readlink(process / "cwd")) == self.folder
            except OSError:
                continue
            if here and len(command) > 3 and command[1].startswith("scripts/") and command[2] == "--stage":
                phase = [word.removeprefix("phase=") for word in command if word.startswith("phase=")]
                found[int(process.name)] = " ".join([command[3], *phase])
        return found

    def kill(self, point: Point) -> bool:
        """Run until the point and kill there; False if the study ended without passing it."""
        if point.after_bytes is not None:
            plan = {"journal": point.where, "bytes": point.after_bytes, "victim": point.victim}
            (self.folder / "stab.json").write_text(json.dumps(plan))
        controller = self.start()
        if point.after_bytes is None:
            self._kill_at_stage(point, controller)
        status = controller.wait(END_S)
        _until(lambda: not self.workers(), "all workers end with their controller")
        (self.folder / "stab.json").unlink(missing_ok=True)
        assert status in {0, 1, -signal.SIGKILL}, self.log.read_text()[-6000:]
        return status != 0

    def _kill_at_stage(self, point: Point, controller: subprocess.Popen[bytes]) -> None:
        while controller.poll() is None:
            workers = [pid for pid, stage in self.workers().items() if stage == point.where]
            if workers:
                time.sleep(point.delay_s)
                victims = {"worker": workers, "controller": [controller.pid]}
                for pid in victims.get(point.victim, [controller.pid, *workers]):
                    _kill(pid)
                return
            time.sleep(0.01)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _until(condition: object, what: str, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s until {what}"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project's files at one moment, without results."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def clean(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study that nobody killed."""
    study = Study(project, tmp_path_factory.mktemp("clean"))
    study.run()
    assert len(study.sent()) == len(set(study.sent())) == len(study.finished())
    return study


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.slow] if seed >= 2 else []) for seed in range(12)]
)
def test_a_study_killed_five_times_ends_like_the_clean_one(
    tmp_path: Path, project: Project, clean: Study, seed: int
) -> None:
    study = Study(project, tmp_path)
    killed = []
    for point in campaign(seed):
        before, finished = len(study.sent()), study.finished()
        killed.append(study.kill(point))
        again = set(study.sent()[before:]) & finished
        assert not again, f"{point} sent {len(again)} finished requests again"
    before, finished = len(study.sent()), study.finished()
    study.run()
    assert not set(study.sent()[before:]) & finished
    assert study.digests() == clean.digests()
    assert study.finished() == clean.finished()
    assert len(study.sent()) <= len(clean.sent()) + sum(killed), "at most the request in flight is sent again"
    assert sum(killed) >= 4, f"only {killed} of {campaign(seed)} met a living study"
    print(re.sub(r"\s+", " ", f"seed {seed}: killed {killed}, {len(study.sent())} sent, {campaign(seed)}"))
