"""The two slots of a product family, read off its legal teams, and which of them is the first hop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from routeaudit.cover.routers.text import Corpus, head, words
from routeaudit.cover.routers.view import TaskView

Workers = tuple[str, ...]


@dataclass(frozen=True)
class Slots:
    """The workers that compete for the first and for the second hop."""

    first: Workers
    second: Workers


def two_slots(task: TaskView) -> tuple[Workers, Workers] | None:
    """The two sides of a family whose teams are all pairs across; None for any other family."""
    pairs = {frozenset(team.workers) for team in task.teams}
    anchor = min(task.cards)
    other = tuple(sorted(worker for pair in pairs if anchor in pair for worker in pair - {anchor}))
    own = tuple(sorted(set(task.cards) - set(other)))
    across = {frozenset((one, two)) for one in own for two in other}
    return (own, other) if pairs == across and other else None


def hop_slots(corpus: Corpus, task: TaskView) -> Slots | None:
    """The slots in hop order, by public text alone; None where the family is no product of two slots.

    The larger slot is the first hop (several first hops compete for fewer continuations, as in the
    paper's four by three). Of equal slots the first hop is the one with the card whose head the question
    names best.
    """
    sides = two_slots(task)
    if sides is None:
        return None
    first, second = sorted(sides, key=lambda side: (-len(side), -_named(corpus, task, side)))
    return Slots(first, second)


def _named(corpus: Corpus, task: TaskView, side: Sequence[str]) -> float:
    asked = words(task.question)
    return max(corpus.share(words(head(task.cards[worker])), asked) for worker in side)
