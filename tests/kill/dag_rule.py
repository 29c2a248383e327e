"""The simulated study's reader, in a process that tells what it is sent and can be stabbed in a write.

Named as the scripted backend's rule, so that just the processes of model stages import it. In their folder:

sent.txt    gets the key of each request before it is answered
stab.json   once: {"journal": J, "bytes": B, "victim": V}: the first write to a journal with J in its name
            and B bytes is cut in half; then V dies: worker (this process), controller (its parent), or both
"""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from routeaudit.cover.benchmarks.worldhop.reader import read
from routeaudit.execution import Completion, Request
from routeaudit.execution.backends.scripted import ScriptedBackend

__all__ = ["read"]

SENT, STAB = Path("sent.txt"), Path("stab.json")
_answer, _write = ScriptedBackend._answer, os.write


def _telling(self: ScriptedBackend, request: Request) -> Completion:
    with SENT.open("a") as handle:
        handle.write(request.key(self.identity) + "\n")
    return _answer(self, request)


def _stabbed(descriptor: int, data: Any) -> int:
    if STAB.exists():
        plan, path = json.loads(STAB.read_text()), os.readlink(f"/proc/self/fd/{descriptor}")
        if (
            path.endswith(".jsonl")
            and plan["journal"] in path
            and os.fstat(descriptor).st_size >= plan["bytes"]
        ):
            STAB.unlink()
            _write(descriptor, bytes(data)[: len(data) // 2])
            _kill(plan["victim"])
    return _write(descriptor, data)


def _kill(victim: str) -> None:
    if victim in {"controller", "both"}:
        os.kill(os.getppid(), signal.SIGKILL)
    if victim in {"worker", "both"}:
        os.kill(os.getpid(), signal.SIGKILL)
    # The death of its controller ends this process: it never finishes the write.
    time.sleep(60)


ScriptedBackend._answer = _telling  # type: ignore[method-assign]
os.write = _stabbed
