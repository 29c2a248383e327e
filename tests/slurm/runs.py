"""Runs of the workflow on the test cluster."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from project_copy import Project
from routeaudit.tables import content_digest

SNAKEMAKE = Path(__file__).with_name("fastpoll.py")
RESULTS = Path("results/simulated")
MESSAGES = RESULTS / "train" / "scripted" / "messages.parquet"
SLURM = (
    "--profile", "slurm", "--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "5",
)  # fmt: skip
END_S = 600


def study(*overrides: str) -> tuple[str, ...]:
    """Command-line words that choose the simulated study, changed by Hydra overrides."""
    listed = ", ".join(f'"{override}"' for override in overrides)
    return ("--config", "studies=simulated", f"overrides=[{listed}]")


class Run:
    """One `snakemake --profile slurm`; its output goes to a file that can be read while it runs."""

    def __init__(self, folder: Path, *words: str, variables: Mapping[str, str] | None = None) -> None:
        self._log = folder / f"run-{time.monotonic_ns()}.log"
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(SNAKEMAKE), *SLURM, *words],
                cwd=folder, env=_clean_environment() | dict(variables or {}),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    @property
    def output(self) -> str:
        """What was printed so far."""
        return self._log.read_text()

    def end(self) -> int:
        """Wait for the end; its status."""
        return self.process.wait(END_S)


@contextmanager
def started(folder: Path, *words: str, variables: Mapping[str, str] | None = None) -> Iterator[Run]:
    """A run that does not outlive the block."""
    run = Run(folder, *words, variables=variables)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.wait()


def wait_until(condition: Callable[[], object], what: str, seconds: float = 240.0) -> None:
    """Poll until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.2)


def stage_processes(folder: Path, *words: str) -> list[int]:
    """Ids of stage processes that work in `folder` and have all `words` on their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            here = Path(os.readlink(process / "cwd")) == folder
        except OSError:
            continue
        is_stage = len(command) > 2 and command[1].startswith(b"scripts/") and command[2] == b"--stage"
        if here and is_stage and all(word.encode() in command for word in words):
            found.append(int(process.name))
    return found


def digests(folder: Path) -> dict[str, str]:
    """Content digest of every table of the study, shards aside."""
    tables = sorted((folder / RESULTS).rglob("*.parquet"))
    return {str(path.relative_to(folder)): content_digest(path) for path in tables if "-of-" not in path.name}


def without_messages(finished: Project, folder: Path) -> Path:
    """A copy of a finished project in which the training workers have not yet answered."""
    shutil.copytree(finished.folder, folder, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(folder / MESSAGES.parent)
    shutil.rmtree(folder / "results" / "journal")
    return folder


def _clean_environment() -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "SNAKEMAKE_PROFILE"}}
    return environment | {"PATH": f"{environment['PATH']}:/usr/sbin"}


def verified(project: Project) -> str:
    """What `routeaudit verify` says."""
    command = "import sys; from routeaudit.cli.main import main; sys.exit(main())"
    done = project.python("-c", command, "verify", str(RESULTS), check=False)
    return done.stdout + done.stderr
