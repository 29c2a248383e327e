"""Frozen routes as cell indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

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
    index = {
        (task, team): cell
        for cell, (task, team) in enumerate(zip(cells.tasks[cells.task_of], cells.teams, strict=True))
    }
    picks = np.array(
        [[_cell(index, policy, task, chosen) for task in cells.tasks] for policy, chosen in routes.items()],
        dtype=np.int64,
    )
    return Routes(tuple(routes), picks.reshape(len(routes), cells.n_tasks))


def _cell(index: Mapping[tuple[str, str], int], policy: str, task: str, chosen: Mapping[str, str]) -> int:
    team = chosen.get(task)
    if team is None or (task, team) not in index:
        raise InputError(
            f"routes of {policy!r}: task {task!r}",
            "one team of the task's legal family",
            "no route" if team is None else f"team {team!r}",
            "freeze the policy again with the family of this contract",
        )
    return index[(task, team)]
