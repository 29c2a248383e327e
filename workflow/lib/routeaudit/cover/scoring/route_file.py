"""A user's table of routes, held against the tasks and teams that can be scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.cover.scoring.readers import inside, such
from routeaudit.errors import InputError
from routeaudit.tables.foreign import Foreign, Wanted, read_foreign, values
from routeaudit.tables.foreign.keys import keys

_COLUMNS = ("policy", "task_id", "team_id")


@dataclass(frozen=True, eq=False)
class RouteFile:
    """Routes as rows (policy, task_id, team_id); ``source`` tells their places."""

    source: Foreign
    rows: pa.Table

    def by_policy(self) -> dict[str, dict[str, str]]:
        """policy -> task_id -> team_id, policies in order of first appearance."""
        routes: dict[str, dict[str, str]] = {}
        for policy, task, team in zip(*(self.rows[name].to_pylist() for name in _COLUMNS), strict=True):
            routes.setdefault(policy, {})[task] = team
        return routes


def read_routes(path: Path) -> RouteFile:
    """The routes of a file.

    Raises
    ------
    InputError : a file that is no such table, a blank name, a policy that routes a task to two teams
    """
    source = read_foreign(path, Wanted.of(_COLUMNS))
    found = RouteFile(source, pa.table({name: values.identifiers(source, name) for name in _COLUMNS}))
    _check_one_team(found)
    return found


def _check_one_team(routes: RouteFile) -> None:
    routed, whole = keys(routes.rows, _COLUMNS[:2]), keys(routes.rows, _COLUMNS)
    _, first, group = np.unique(routed, return_index=True, return_inverse=True)
    differs = whole != whole[first[group]]
    if not differs.any():
        return
    row = int(np.argmax(differs))
    before = int(first[group[row]])
    policy, task, team = (routes.rows[name][row].as_py() for name in _COLUMNS)
    raise InputError(
        f"{routes.source.place(row)} (policy {policy!r}, task {task!r})",
        "one team",
        f"{team!r} here, {routes.rows['team_id'][before].as_py()!r} in {routes.source.short_place(before)}",
        f"delete {routes.source.short_place(row)} or {routes.source.short_place(before)}",
    )


def check_routes(routes: RouteFile, outcomes: pa.Table, outcomes_path: Path, family: pa.Table | None) -> None:
    """Hold routes against what can be scored.

    Raises
    ------
    InputError : routes for a task that neither outcomes nor family have, a task that a policy does not
    route, a team outside a given family, a team that differs from a known one in its spelling only
    """
    legal = outcomes if family is None else family
    tasks = pc.unique(pa.chunked_array([*outcomes["task_id"].chunks, *legal["task_id"].chunks]))
    or_family = "" if family is None else " or of the family"
    check_tasks(routes, tasks, f"a task of {outcomes_path}{or_family}")
    check_all_routed(routes, pc.unique(legal["task_id"]), outcomes_path)
    if family is not None:
        _check_legal(routes, family)
    _check_spelling(routes, pc.unique(legal["team_id"]), outcomes_path)


def check_tasks(routes: RouteFile, known: pa.Array, expected: str) -> None:
    """Every row's task is a known one.

    Raises
    ------
    InputError : the first that is not, and how many rows have such a one
    """
    strange = ~values.mask(pc.is_in(routes.rows["task_id"], value_set=known))
    if not strange.any():
        return
    row, rows = int(np.argmax(strange)), int(strange.sum())
    found = routes.rows["task_id"][row].as_py()
    told = f"{found!r} ({rows} row{'s' * (rows > 1)} with such a task)"
    alike = _by_spelling(known).get(_folded(found))
    hint = (
        f"delete the row{'s' * (rows > 1)}, or add the outcomes" if alike is None else _unlike(found, alike)
    )
    raise InputError(routes.source.place(row, "task_id"), expected, told, hint)


def _unlike(found: str, alike: str) -> str:
    return f"{found!r} is not {alike!r}: identifiers are text; write it alike in both files"


def _by_spelling(known: pa.Array) -> dict[str, str]:
    return {_folded(name): name for name in reversed(known.to_pylist())}


def _folded(name: str) -> str:
    """A name without what spreadsheets change: leading zeros, case, spaces."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", "".join(name.split()).casefold())


def check_all_routed(routes: RouteFile, tasks: pa.Array, outcomes_path: Path) -> None:
    """Every policy routes every task.

    Raises
    ------
    InputError : the first policy and task without a route
    """
    lost = {policy: _lost(chosen, tasks) for policy, chosen in routes.by_policy().items()}
    policy = next((policy for policy, missing in lost.items() if missing), None)
    if policy is None:
        return
    task, more = lost[policy][0], len(lost[policy]) - 1
    raise InputError(
        f"{routes.source.path}: policy {policy!r}, task {task!r}",
        f"one team for every task of {outcomes_path}",
        "no route" + (f" (nor for {more} more tasks)" if more else ""),
        f"add the row {policy},{task},TEAM with the team that the policy chose",
    )


def _lost(chosen: Mapping[str, str], tasks: pa.Array) -> list[str]:
    return [task for task in tasks.to_pylist() if task not in chosen]


def _check_legal(routes: RouteFile, family: pa.Table) -> None:
    outside = ~inside(routes.rows, family)
    if outside.any():
        row = int(np.argmax(outside))
        task, team = (routes.rows[name][row].as_py() for name in _COLUMNS[1:])
        teams = family.filter(pc.equal(family["task_id"], task))["team_id"].to_pylist()
        raise InputError(
            routes.source.place(row, "team_id"),
            f"a team that the family lists for the task {task!r}",
            repr(team) + such(int(outside.sum()), "row"),
            f"choose {' or '.join(teams[:5]) or 'another task'}, or add the row {task},{team} to the family",
        )


def _check_spelling(routes: RouteFile, teams: pa.Array, outcomes_path: Path) -> None:
    """A routed team without any outcome may be meant, but not where only its spelling is new."""
    column = routes.rows["team_id"]
    known = _by_spelling(teams)
    strange = set(pc.unique(column).to_pylist()) - set(teams.to_pylist())
    alike = {name: known[_folded(name)] for name in strange if _folded(name) in known}
    if alike:
        row = int(np.argmax(values.mask(pc.is_in(column, value_set=pa.array(list(alike))))))
        found = column[row].as_py()
        expected = f"a team of {outcomes_path}"
        values.fail(routes.source, "team_id", row, expected, repr(found), _unlike(found, alike[found]))
