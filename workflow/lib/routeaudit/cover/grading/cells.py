"""One cell as grading sees it: the team's passages, its messages and its final answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from routeaudit.cover.benchmarks.base import Passage
from routeaudit.tables.artifacts import STATUS_INVALID, STATUS_MISSING, STATUS_OK


@dataclass(frozen=True)
class Gold:
    """What is right: `answers` are the gold answer and its aliases."""

    answers: tuple[str, ...]
    required_units: tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """A message's quotes or a final answer, with its status; `text` is empty where there is none."""

    text: str
    status: str


ABSENT = Said("", STATUS_MISSING)


@dataclass(frozen=True)
class Cell:
    """A team on a task in one replicate.

    Parameters
    ----------
    held : worker id -> its passages
    messages : worker id -> its quotes, one a line
    """

    gold: Gold
    held: Mapping[str, Sequence[Passage]]
    messages: Mapping[str, Said]
    final: Said

    @property
    def messages_status(self) -> str:
        """The worst status among the team's messages."""
        return worst(message.status for message in self.messages.values())

    @property
    def quotes(self) -> dict[str, str]:
        """Worker id -> quotes, of valid messages."""
        return {worker: said.text for worker, said in self.messages.items() if said.status == STATUS_OK}


def worst(statuses: Iterable[str]) -> str:
    """`missing` before `invalid_run` before `ok`: what was never run cannot be called a failure."""
    found = set(statuses)
    return next((status for status in (STATUS_MISSING, STATUS_INVALID) if status in found), STATUS_OK)
