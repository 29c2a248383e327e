"""A study that tests start, interrupt and start again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from project_copy import Project
from routeaudit.execution import Records, read_journals
from routeaudit.tables import content_digest

END_S = 900


class Study:
    """The study `name`, changed by Hydra overrides, in a project folder of its own."""

    def __init__(self, project: Project, folder: Path, name: str, overrides: Iterable[str]) -> None:
        self.folder = Project(folder, project.folder).folder
        self.results = self.folder / "results" / name
        self.log = folder / "run.log"
        self._words = ("--config", f"studies={name}", f"overrides={json.dumps(list(overrides))}")

    def start(self) -> subprocess.Popen[bytes]:
        """The plain command, always the same."""
        variables = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
        with self.log.open("w") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "snakemake", "--cores", "2", *self._words],
                cwd=self.folder,
                env=variables | {"PYTHONPATH": str(Path(__file__).parent)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def run(self) -> None:
        """Run to the end."""
        assert self.start().wait(END_S) == 0, self.log.read_text()[-6000:]

    def end(self, controller: subprocess.Popen[bytes]) -> int:
        """Wait for a killed run to end, workers too; its status."""
        status = controller.wait(END_S)
        until(lambda: not self.workers(), "all workers end with their controller")
        assert status in {0, 1, -signal.SIGKILL}, self.log.read_text()[-6000:]
        return status

    def digests(self) -> dict[str, str]:
        """Content digest of every table."""
        tables = sorted(self.results.rglob("*.parquet"))
        return {str(path.relative_to(self.folder)): content_digest(path) for path in tables}

    def journals(self) -> Records:
        """What the journals hold."""
        return read_journals(self.folder / "results" / "journal")

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

    def workers_at(self, stage: str) -> list[int]:
        """Ids of the living processes of one stage, as `workers` names it."""
        return [pid for pid, name in self.workers().items() if name == stage]


def kill(victim: str, controller: int, workers: Iterable[int]) -> None:
    """SIGKILL `worker`, `controller` or `both`."""
    victims = {"worker": workers, "controller": [controller]}
    for pid in victims.get(victim, [controller, *workers]):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def until(condition: Callable[[], object], what: str, seconds: float = 240.0) -> None:
    """Poll until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s until {what}"
        time.sleep(0.05)
