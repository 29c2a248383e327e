"""Ids that say nothing: tasks, workers and teams are numbered in seeded orders."""

from __future__ import annotations

from collections.abc import Sequence

from routeaudit.cover.family.legal import Team
from routeaudit.cover.seeding import seeded_key, seeded_order


def task_ids(original_ids: Sequence[str], seed: int) -> dict[str, str]:
    """Original id -> opaque id `t` and digits, numbered in a seeded order of the original ids."""
    order = sorted(original_ids, key=lambda original: seeded_key(seed, "task", original))
    return dict(zip(order, _numbered("t", len(order)), strict=True))


def worker_ids(n_workers: int, seed: int, original_id: str) -> list[str]:
    """An id `w1`..`wN` for each of a task's workers, dealt by position in a seeded order."""
    return seeded_order(_numbered("w", n_workers), seed, "worker", original_id)


def team_ids(teams: Sequence[Team], seed: int, original_id: str) -> dict[str, Team]:
    """Team id `g01`.. -> team, in a seeded order of the task's teams."""
    order = seeded_order(teams, seed, "team", original_id)
    return dict(zip(_numbered("g", len(order), least_digits=2), order, strict=True))


def _numbered(prefix: str, count: int, least_digits: int = 1) -> list[str]:
    digits = max(least_digits, len(str(count)))
    return [f"{prefix}{number:0{digits}d}" for number in range(1, count + 1)]
