"""A worker that executes numbered requests on the scripted backend; killed by the tests around it.

Usage: journal_worker.py FOLDER NAME COUNT [DELAY_S] [STAB]

Appends every request that it sends to FOLDER/sent-NAME.txt. With STAB it kills itself in the middle of
its first journal write after STAB bytes: it writes that write's first half and dies. Where its standard
input is a pipe it sends the last request only when that is closed: who kills it before meets it alive.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from routeaudit.config.models import ScriptedModel
from routeaudit.execution import Completion, Decoding, Journal, Message, Request, execute
from routeaudit.execution.backends.scripted import ScriptedBackend

RULE = "routeaudit.execution.backends.rules:first_choice"


def requests(count: int) -> list[Request]:
    """Numbered requests; every third repeats the one before."""
    return [
        Request((Message("user", f"word {number - (number % 3 == 2)}"),), Decoding(8))
        for number in range(count)
    ]


class Recording(ScriptedBackend):
    """The scripted backend, telling a file what it is sent before it answers."""

    def __init__(self, sent: Path, delay_s: float) -> None:
        super().__init__(ScriptedModel(backend="scripted", rule=RULE, delay_s=delay_s))
        self._sent = sent

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        for request in requests:
            if request is requests[-1]:
                sys.stdin.read()
            with self._sent.open("a") as handle:
                handle.write(request.key(self.identity) + "\n")
            yield from super().generate([request])


def stab_in_a_write(after_bytes: int) -> None:
    """Make `os.write` to a journal that has `after_bytes` already write half and kill this process."""
    whole_write = os.write

    def half(descriptor: int, data: bytes) -> int:
        if (
            os.readlink(f"/proc/self/fd/{descriptor}").endswith(".jsonl")
            and os.fstat(descriptor).st_size >= after_bytes
        ):
            whole_write(descriptor, bytes(data)[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return whole_write(descriptor, data)

    os.write = half


def main() -> None:
    """Execute, print the counts of sent and reused."""
    folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    delay_s = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    if len(sys.argv) > 5:
        stab_in_a_write(int(sys.argv[5]))
    with Journal.open(folder, name) as journal:
        execution = execute(requests(count), Recording(folder / f"sent-{name}.txt", delay_s), journal)
    print(execution.counts.sent, execution.counts.reused)


if __name__ == "__main__":
    main()
