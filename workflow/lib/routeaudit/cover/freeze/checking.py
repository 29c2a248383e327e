"""Routes against the legal family: every declared task once, a legal team each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from routeaudit.errors import InputError
from routeaudit.tables.artifacts import ROUTES

LegalTeams = Mapping[str, Collection[str]]


def legal_teams(family: pa.Table) -> dict[str, set[str]]:
    """Team ids per task of a family table."""
    teams: dict[str, set[str]] = {}
    for task_id, team_id in zip(family["task_id"].to_pylist(), family["team_id"].to_pylist(), strict=True):
        teams.setdefault(task_id, set()).add(team_id)
    return teams


def routes_table(
    rows: Sequence[Mapping[str, object]], expected: Collection[str], legal: LegalTeams, where: str
) -> pa.Table:
    """The routes table of `rows` (columns of ROUTES).

    Raises
    ------
    InputError : a route for a task that was not to be routed, a task routed twice or not at all, or a
        team outside the task's legal family; the message names the row.
    """
    wanted = set(expected)
    for number, row in enumerate(rows):
        _check_row(row, wanted, legal, f"{where}, row {number}")
    missing = sorted(wanted - {str(row["task_id"]) for row in rows})
    if missing:
        raise InputError(
            where,
            f"a route for each of {len(wanted)} tasks",
            f"none for {_some(missing)}",
            "route every task of the view",
        )
    return ROUTES.from_rows([dict(row) for row in rows], where)


def _check_row(row: Mapping[str, object], wanted: set[str], legal: LegalTeams, where: str) -> None:
    task_id, team_id = str(row["task_id"]), row["team_id"]
    if task_id not in wanted:
        raise InputError(
            f"{where}, key 'task_id'", "a task that is to be routed", f"{task_id!r}", "drop the row"
        )
    if team_id not in legal.get(task_id, ()):
        raise InputError(
            f"{where}, task {task_id!r}, key 'team_id'",
            f"a legal team of this task: {_some(sorted(legal.get(task_id, ())))}",
            repr(team_id),
            "choose among the teams of the family table",
        )


def _some(names: Sequence[str], limit: int = 8) -> str:
    shown = ", ".join(map(repr, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
