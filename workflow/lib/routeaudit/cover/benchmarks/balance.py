"""Distractors dealt so that the length of a card does not tell the gold worker from the others.

Benchmarks differ here: in HotpotQA the second hop's title is the shorter of two in 7 of 10 tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.seeding import seeded_key


@dataclass(frozen=True)
class Pool:
    """One task's choice for one slot: `candidates` are (passage, card length), in the order of dealing."""

    task_id: str
    gold_length: int
    candidates: tuple[tuple[Passage, int], ...]


def balanced_hands(pools: Sequence[Pool], places: int, seed: int, slot: int) -> list[list[Passage]]:
    """For each task so many distractors that, over all tasks, the gold card takes every length rank alike.

    Every task draws a rank (how many of its distractors have shorter cards) that its candidates allow;
    `balanced_ranks` says which. Within a rank candidates are taken in the order of dealing.
    """
    allowed = [feasible_ranks(pool, places) for pool in pools]
    keys = [seeded_key(seed, "length", slot, pool.task_id) for pool in pools]
    ranks = balanced_ranks(allowed, keys)
    return [_hand(pool, rank, places) for pool, rank in zip(pools, ranks, strict=True)]


def feasible_ranks(pool: Pool, places: int) -> list[int]:
    """How many of `places` distractors can be shorter than the gold card; equal ones count either way."""
    shorter = sum(length < pool.gold_length for _, length in pool.candidates)
    longer = sum(length > pool.gold_length for _, length in pool.candidates)
    equal = len(pool.candidates) - shorter - longer
    return [rank for rank in range(places + 1) if rank <= shorter + equal and places - rank <= longer + equal]


def balanced_ranks(allowed: Sequence[Sequence[int]], keys: Sequence[str]) -> list[int]:
    """One allowed rank per task, every rank about equally often.

    Tasks with the least choice go first, equals in the order of their keys; each takes its so far
    rarest rank, and of equally rare ones that which its key picks.
    """
    taken: Counter[int] = Counter()
    ranks: dict[int, int] = {}
    for task in sorted(range(len(allowed)), key=lambda task: (len(allowed[task]), keys[task])):
        rarest = min(taken[rank] for rank in allowed[task])
        rare = [rank for rank in allowed[task] if taken[rank] == rarest]
        ranks[task] = rare[int(keys[task][:8], 16) % len(rare)]
        taken[ranks[task]] += 1
    return [ranks[task] for task in range(len(allowed))]


def _hand(pool: Pool, rank: int, places: int) -> list[Passage]:
    shorter = [passage for passage, length in pool.candidates if length < pool.gold_length]
    longer = [passage for passage, length in pool.candidates if length > pool.gold_length]
    equal = [passage for passage, length in pool.candidates if length == pool.gold_length]
    lent = max(0, rank - len(shorter))
    above = [*longer, *equal[lent:]]
    return [*shorter[:rank], *equal[:lent], *above[: places - rank]]
