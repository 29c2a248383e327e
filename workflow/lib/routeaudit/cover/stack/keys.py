"""What a request is for: one message or one final answer of one replicate."""

from __future__ import annotations

from typing import NamedTuple


class MessageKey(NamedTuple):
    """A worker's message: it depends on the task and the worker, never on the team."""

    task_id: str
    worker_id: str
    replicate: int


class CellKey(NamedTuple):
    """A final answer of one team on one task."""

    task_id: str
    team_id: str
    replicate: int
