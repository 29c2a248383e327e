"""Few-shot conversations whose leading messages all requests of a role share."""

from __future__ import annotations

from collections.abc import Iterable

from routeaudit.execution import Message


def few_shot(instruction: str, examples: Iterable[tuple[str, str]]) -> tuple[Message, ...]:
    """The shared prefix: the instruction, then pairs of what was asked and what was answered."""
    turns = [Message("system", instruction)]
    for asked, answered in examples:
        turns += [Message("user", asked), Message("assistant", answered)]
    return tuple(turns)
