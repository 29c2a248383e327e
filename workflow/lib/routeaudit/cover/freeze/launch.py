"""Start launchers in a clean environment and collect what their children left."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import routeaudit
from routeaudit.cover.confinement import (
    bubblewrap_available,
    bubblewrap_command,
    landlock_abi,
    python_installation,
)
from routeaudit.cover.freeze.unit import Job, Unit
from routeaudit.cover.freeze.wire import BROKER_VARIABLE, serve
from routeaudit.cover.questions import Ask
from routeaudit.errors import InputError
from routeaudit.tables import canonical_json, read_json

_LAUNCHER = (sys.executable, "-c", "from routeaudit.cover.freeze.launcher import main; main()")
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_NUM_THREADS")


@dataclass(frozen=True)
class UnitResult:
    """What one confined process brought back, unchecked but well-formed.

    Parameters
    ----------
    routes : (task_id, team_id, score)
    fallbacks : how many of them were drawn for want of an answer
    held : mechanism, layers and probes in force
    asked_outside : what Python code asked for beyond the declared inputs (a diagnostic)
    """

    unit: Unit
    fitted: Any
    routes: tuple[tuple[str, str, float | None], ...]
    fallbacks: int
    held: dict[str, Any]
    asked_outside: tuple[str, ...]


def choose_mechanism(wanted: str) -> str:
    """The strongest mechanism here for `auto`, else the one wanted.

    Raises
    ------
    InputError : the one wanted is not to be had on this machine.
    """
    available = {"landlock": landlock_abi() > 0, "bubblewrap": bubblewrap_available(), "none": True}
    if wanted == "auto":
        return next(name for name, there in available.items() if there)
    if not available.get(wanted, False):
        raise InputError(
            "confinement",
            f"{wanted}, as the configuration says",
            "a machine without it",
            "use auto, or run where the kernel has it",
        )
    return wanted


def launch(job: Job, ask: Ask | None = None) -> list[UnitResult]:
    """Run every unit, confined by the job's mechanism; `ask` answers units that have a broker.

    Raises
    ------
    InputError : a router failed or brought back something that is no routes.
    """
    if job.mechanism == "bubblewrap":
        for unit in job.units:
            _start(_inside_bubblewrap(unit), replace(job, units=(unit,)), ask)
    elif job.units:
        _start(_LAUNCHER, job, ask)
    return [_collect(unit) for unit in job.units]


def _inside_bubblewrap(unit: Unit) -> list[str]:
    return bubblewrap_command(_LAUNCHER, (*python_installation(), *unit.reads), (Path(unit.folder),))


def _start(argv: Sequence[str], job: Job, ask: Ask | None) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = _open(argv, theirs.fileno() if ask else None)
        try:
            # A launcher that cannot start leaves a broken pipe; its status says more.
            with suppress(BrokenPipeError), process.stdin as work_order:  # type: ignore[union-attr]
                work_order.write(canonical_json(job.to_json()))
            if ask:
                serve(ours, ask)
            status = process.wait()
        finally:
            process.kill()
            process.wait()
    if status:
        raise InputError(
            "confinement",
            "a process that starts the routers",
            f"{argv[0]} ended with status {status}; its message is above",
            "check the Python environment of this machine",
        )


def _open(argv: Sequence[str], broker: int | None) -> subprocess.Popen[str]:
    handed = {} if broker is None else {BROKER_VARIABLE: str(broker)}
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=_environment() | handed,
        pass_fds=() if broker is None else (broker,),
    )


def _environment() -> dict[str, str]:
    """Nothing of ours, secrets least of all: the library's place, one thread, a fixed hash seed."""
    library = str(Path(routeaudit.__file__).resolve().parent.parent)
    threads = dict.fromkeys(_ONE_THREAD, "1")
    return {"PATH": os.defpath, "PYTHONPATH": library, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", **threads}


def _collect(unit: Unit) -> UnitResult:
    if not unit.result.exists():
        raise _bad_result(unit, "no result: the process died")
    found = read_json(unit.result)
    if "error" in found:
        raise InputError(*map(str, found["error"]))
    rows = [_route(unit, *row) for row in found["routes"]]
    fallbacks = sum(bool(row[3]) for row in found["routes"])
    return UnitResult(
        unit, found["fitted"], tuple(rows), fallbacks, found["held"], tuple(found["asked_outside"])
    )


def _route(unit: Unit, task_id: Any, team_id: Any, score: Any, _: Any) -> tuple[str, str, float | None]:
    if not (isinstance(task_id, str) and isinstance(team_id, str)):
        raise _bad_result(unit, f"the route {task_id!r} -> {team_id!r}")
    if not (score is None or isinstance(score, int | float)):
        raise _bad_result(unit, f"the score {score!r} of task {task_id!r}")
    return task_id, team_id, None if score is None else float(score)


def _bad_result(unit: Unit, found: str) -> InputError:
    return InputError(
        f"router {unit.policy!r} ({unit.definition.kind})",
        "routes as (task id, team id, score or nothing)",
        found,
        "return Route objects from `route`",
    )
