"""A finding: something about the data that a reader must know before believing a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SHOWN = 6


@dataclass(frozen=True)
class Finding:
    """``name`` says what kind it is, ``sentence`` says it in full, with the names it holds for."""

    name: str
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """JSON-ready mapping."""
        return {"name": self.name, "sentence": self.sentence}


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: the first six, and how many more."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
