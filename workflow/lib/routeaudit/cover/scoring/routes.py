"""Frozen routes as cell indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.cover.scoring.cells import Cells
from routeaudit.errors import InputError
from routeaudit.inference.units import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Routes:
    """``picks[p, t]`` is the cell that policy p chose for task t."""

    policies: tuple[str, ...]
    picks: IntArray

    def of(self, policy: str) -> IntArray:
        """Cells chosen by ``policy``, (T,)."""
        if policy not in self.policies:
            raise InputError(
                f"policy {policy!r}",
                f"one of {', '.join(self.policies)}",
                "no routes of that name",
                "name a policy whose routes were frozen",
            )
        chosen: IntArray = self.picks[self.policies.index(policy)]
        return chosen

    def outcomes(self, cells: Cells) -> FloatArray:
        """y_t(pi_p(t)), shape (T, P); NaN where the cell was not observed."""
        chosen: FloatArray = cells.value[self.picks].T
        return chosen

    def named_outcomes(self, cells: Cells) -> dict[str, FloatArray]:
        """policy -> its outcomes (T,); NaN where the cell was not observed."""
        return dict(zip(self.policies, self.outcomes(cells).T, strict=True))


def locate_routes(cells: Cells, routes: Mapping[str, Mapping[str, str]]) -> Routes:
    """Align ``routes`` (policy -> task_id -> team_id) to the cells; policies keep their order.

    Raises InputError for a task without a route and for a team outside the task's legal family (a contract
    violation).
    """
    teams = pa.array(cells.teams, pa.string())
    names = pc.unique(teams)
    key = cells.task_of * len(names) + np.asarray(pc.index_in(teams, value_set=names))
    order = np.argsort(key, kind="stable")
    picks = np.empty((len(routes), cells.n_tasks), dtype=np.int64)
    for row, (policy, chosen) in enumerate(routes.items()):
        wanted = pa.array([chosen.get(task) for task in cells.tasks], pa.string())
        code = np.asarray(pc.fill_null(pc.index_in(wanted, value_set=names), -1)).astype(np.int64)
        asked = np.arange(cells.n_tasks) * len(names) + code
        place = order[np.minimum(np.searchsorted(key, asked, sorter=order), key.size - 1)]
        unknown = (code < 0) | (key[place] != asked)
        if unknown.any():
            _no_cell(policy, str(cells.tasks[int(np.argmax(unknown))]), chosen)
        picks[row] = place
    return Routes(tuple(routes), picks)


def _no_cell(policy: str, task: str, chosen: Mapping[str, str]) -> NoReturn:
    team = chosen.get(task)
    raise InputError(
        f"routes of {policy!r}: task {task!r}",
        "one team of the task's legal family",
        "no route" if team is None else f"team {team!r}",
        "choose a team that the family lists for the task",
    )
