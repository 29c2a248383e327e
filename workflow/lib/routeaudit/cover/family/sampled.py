"""Precommitted draws from a family too large to cover (statistics A4)."""

from __future__ import annotations

from collections.abc import Sequence

from routeaudit.cover.seeding import seeded_order
from routeaudit.errors import InputError


def draw_teams(team_ids: Sequence[str], draws: int, seed: int, task_id: str) -> tuple[str, ...]:
    """A simple random sample without replacement of one task's teams, sorted.

    It is fixed by (seed, task id) before any outcome exists; a larger sample contains a smaller one.

    Raises
    ------
    InputError : more draws than teams.
    """
    if draws > len(team_ids):
        raise InputError(
            f"task {task_id!r}",
            f"at least {draws} legal teams to draw from",
            f"{len(team_ids)}",
            "lower coverage.sampled_teams, or cover the family completely",
        )
    return tuple(sorted(seeded_order(sorted(team_ids), seed, "draw", task_id)[:draws]))
