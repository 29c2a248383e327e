"""A worker killed at any moment: nothing finished is sent again, and the end is that of a clean run.

Ten seeded points run with every test run (marker `kill`), fifty more with `-m "kill and slow"`; half of
them lie inside a journal write. These kills hit one worker; kills of whole pipelines are tested elsewhere.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kill.journal_worker import requests
from routeaudit.errors import InputError
from routeaudit.execution import Journal, completions_digest, read_journals

pytestmark = pytest.mark.concurrent

WORKER = Path(__file__).with_name("journal_worker.py")
COUNT = 90
DISTINCT = len({request.messages for request in requests(COUNT)})
IN_FLIGHT = 1  # the scripted backend has one request under way

POINTS = [
    pytest.param(seed, marks=[pytest.mark.kill, *([pytest.mark.slow] if seed >= 5 else [])])
    for seed in range(30)
]


def start(folder: Path, *arguments: object, held: bool = False) -> subprocess.Popen[str]:
    """Start the worker; a `held` one does not send its last request before its standard input is closed."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(WORKER), str(folder), *map(str, arguments)]
    stdin = subprocess.PIPE if held else subprocess.DEVNULL
    return subprocess.Popen(
        command, env=environment, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(worker: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = worker.communicate(timeout=240)
    return worker.returncode, out, err


def sent(folder: Path, name: str = "one") -> list[str]:
    path = folder / f"sent-{name}.txt"
    return path.read_text().split() if path.exists() else []


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run that nobody killed."""
    folder = tmp_path_factory.mktemp("clean")
    assert finish(start(folder, "one", COUNT))[:2] == (0, f"{DISTINCT} 0\n")
    assert len(sent(folder)) == DISTINCT
    return completions_digest(read_journals(folder).completions)


def resume_and_compare(folder: Path, clean: str, torn: int) -> None:
    """Run again; what was finished stays unsent, and the end is the clean run's."""
    finished = read_journals(folder)
    assert finished.torn == torn
    before = len(sent(folder))
    status, out, err = finish(start(folder, "one", COUNT))
    assert (status, err) == (0, err)
    assert out == f"{DISTINCT - len(finished.completions)} {len(finished.completions)}\n"
    assert not set(sent(folder)[before:]) & set(finished.completions)
    assert len(sent(folder)) <= DISTINCT + IN_FLIGHT
    assert completions_digest(read_journals(folder).completions) == clean


@pytest.mark.parametrize("seed", POINTS)
def test_a_worker_killed_in_the_middle_of_a_journal_write(tmp_path: Path, clean: str, seed: int) -> None:
    after_bytes = random.Random(seed).randrange(0, 24000)
    status, _, err = finish(start(tmp_path, "one", COUNT, 0.0, after_bytes))
    assert status == -signal.SIGKILL, err
    resume_and_compare(tmp_path, clean, torn=1)


@pytest.mark.parametrize("seed", POINTS)
def test_a_worker_killed_at_some_moment(tmp_path: Path, clean: str, seed: int) -> None:
    point = random.Random(1000 + seed)
    worker = start(tmp_path, "one", COUNT, 0.01, held=True)
    wanted = point.randrange(0, DISTINCT - 5)
    while len(sent(tmp_path)) < wanted:
        time.sleep(0.002)
    time.sleep(point.uniform(0, 0.02))
    worker.kill()
    assert finish(worker)[0] == -signal.SIGKILL
    resume_and_compare(tmp_path, clean, torn=read_journals(tmp_path).torn)


@pytest.mark.kill
def test_a_duplicate_worker_is_refused_and_the_first_goes_on(tmp_path: Path, clean: str) -> None:
    first = start(tmp_path, "one", COUNT, 0.02, held=True)
    while not sent(tmp_path):
        time.sleep(0.01)
    with pytest.raises(InputError, match=f"held by process {first.pid}"):
        Journal.open(tmp_path, "one")
    assert finish(first)[0] == 0
    assert len(sent(tmp_path)) == DISTINCT
    assert completions_digest(read_journals(tmp_path).completions) == clean


@pytest.mark.kill
def test_a_full_disk_loses_no_line_and_a_rerun_ends_the_work(tmp_path: Path, clean: str) -> None:
    limited = "ulimit -f 8; exec " + shlex.join(
        [sys.executable, str(WORKER), str(tmp_path), "one", str(COUNT)]
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    full = subprocess.run(
        ["bash", "-c", limited],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 1
    assert "every finished request is kept" in full.stderr
    assert 0 < len(read_journals(tmp_path).completions) < DISTINCT
    resume_and_compare(tmp_path, clean, torn=0)
