"""Tasks in one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from routeaudit.cover.routers import TaskView, Team


def task(
    task_id: str,
    question: str,
    cards: Mapping[str, str],
    teams: Iterable[tuple[str, ...]] | None = None,
) -> TaskView:
    """A task with the legal teams `teams`, or all pairs, in canonical order; each worker costs 1."""
    chosen = list(combinations(sorted(cards), 2)) if teams is None else list(teams)
    made = tuple(
        Team(f"g{rank + 1:02d}", tuple(workers), float(len(workers)), rank)
        for rank, workers in enumerate(chosen)
    )
    return TaskView(task_id, question, dict(cards), made, 1.0, 99.0)
