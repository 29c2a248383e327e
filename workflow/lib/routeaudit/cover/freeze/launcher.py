"""The clean process that forks the confined ones: ``python -m routeaudit.cover.freeze.launcher < job.json``.

It starts fresh, so that nothing private is in the memory its children inherit, imports once for all of
them, and runs one thread, so that forking is safe.
"""

from __future__ import annotations

import json
import os
import sys

from routeaudit.cover.freeze.child import run_unit
from routeaudit.cover.freeze.unit import Job, Unit

BROKER_VARIABLE = "ROUTEAUDIT_BROKER_FD"


def main() -> None:
    """Run every unit of the job on standard input in its own child."""
    job = Job.from_json(json.load(sys.stdin))
    running = 0
    for unit in job.units:
        if running >= job.processes:
            os.wait()
            running -= 1
        _fork(unit, job)
        running += 1
    for _ in range(running):
        os.wait()


def _fork(unit: Unit, job: Job) -> None:
    if os.fork():
        return
    try:
        _close_inherited(keep_broker=unit.broker)
        run_unit(unit, job.mechanism, job.probes)
    finally:
        os._exit(0)


def _close_inherited(*, keep_broker: bool) -> None:
    """An open file outlives confinement, so none but the standard streams and a declared broker stays."""
    broker = int(os.environ.get(BROKER_VARIABLE, "-1")) if keep_broker else -1
    highest = os.sysconf("SC_OPEN_MAX")
    if broker < 3:
        os.closerange(3, highest)
    else:
        os.closerange(3, broker)
        os.closerange(broker + 1, highest)


if __name__ == "__main__":
    main()
