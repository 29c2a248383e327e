"""A diagnostic: which files and sockets Python code asked for beyond the declared ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class AuditTrail:
    """Notes `open` and `socket` events outside `allowed`; it stops nothing and native code passes unseen."""

    def __init__(self, allowed: Sequence[Path]) -> None:
        self._allowed = tuple(os.path.realpath(path) for path in allowed)
        self._seen: dict[str, None] = {}
        sys.addaudithook(self._note)

    def outside(self) -> tuple[str, ...]:
        """What was asked for, in order of first mention; files by their last name only."""
        return tuple(self._seen)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            self._seen["socket"] = None
        elif event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            name = os.path.realpath(os.fsdecode(arguments[0]))
            if not any(name == root or name.startswith(root + os.sep) for root in self._allowed):
                self._seen[os.path.basename(name)] = None
