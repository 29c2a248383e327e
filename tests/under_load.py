"""Run pytest several times in a row while a load keeps every core busy: what passes by luck fails here.

Usage: under_load.py RUNS [PYTEST ARGUMENTS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

# Ends with its parent, however that ends.
BUSY = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"


@contextmanager
def load(processes: int) -> Iterator[None]:
    """That many busy processes for the duration of a block."""
    with ExitStack() as stack:
        for _ in range(processes):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            stack.callback(process.kill)
        yield


def run(number: int, runs: int, arguments: Sequence[str]) -> bool:
    """One run of pytest, in an order of its own; whether it is green."""
    began = time.monotonic()
    print(f"run {number} of {runs}", flush=True)
    green = subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode == 0
    print(f"run {number}: {'green' if green else 'RED'}, {time.monotonic() - began:.0f} s", flush=True)
    return green


def main() -> int:
    """All runs, also after a red one; the status is 0 if all were green."""
    runs, arguments = int(sys.argv[1]), sys.argv[2:]
    cores = len(os.sched_getaffinity(0))
    with load(cores):
        green = sum(run(number, runs, arguments) for number in range(1, runs + 1))
    print(f"{green} of {runs} runs green, with {cores} busy processes on {cores} cores")
    return int(green < runs)


if __name__ == "__main__":
    sys.exit(main())
