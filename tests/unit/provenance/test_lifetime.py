"""A stage ends when the process that started it has ended, before it does any work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from places import ROOT
from routeaudit.provenance.lifetime import CONTROLLER

pytestmark = pytest.mark.concurrent

WORK = "from routeaudit.provenance.lifetime import end_with_parent; end_with_parent(); print('worked')"


@pytest.fixture
def dead() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def run(controller: int | None) -> subprocess.CompletedProcess[str]:
    variables = os.environ | {"PYTHONPATH": str(ROOT / "workflow" / "lib")}
    variables.pop(CONTROLLER, None)
    if controller is not None:
        variables[CONTROLLER] = str(controller)
    return subprocess.run(
        [sys.executable, "-c", WORK], env=variables, capture_output=True, text=True, check=False
    )


def test_a_stage_whose_controller_died_while_it_started_does_no_work(dead: int) -> None:
    assert (run(dead).returncode, run(dead).stdout) == (-signal.SIGTERM, "")


def test_a_stage_whose_controller_lives_works() -> None:
    assert run(os.getpid()).stdout == "worked\n"


def test_a_stage_that_was_started_by_hand_works() -> None:
    assert run(None).stdout == "worked\n"
