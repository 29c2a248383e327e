"""Routers without a model: chance, the best fixed team, everybody."""

from __future__ import annotations

import hashlib
from collections import defaultdict

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, ScoringRouter
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.view import TaskView, Team


class RandomRouter(Router):
    """A legal team drawn uniformly, keyed by seed and task id: adding a task moves no other's team."""

    information = InformationSet.PUBLIC

    def fit(self, training: Training) -> Fitted:
        """Keep the seed."""
        return {"seed": training.seed}

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The drawn team of every task."""
        return [Route(task.task_id, draw_team(fitted["seed"], task).team_id) for task in view.tasks]


def draw_team(seed: int, task: TaskView) -> Team:
    """A uniform draw from the task's legal teams, fixed by the seed and the task id."""
    digest = hashlib.sha256(f"{seed}|{task.task_id}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:16], "big"))
    return task.teams[int(rng.integers(len(task.teams)))]


class AllWorkersRouter(ScoringRouter):
    """The largest legal team."""

    information = InformationSet.PUBLIC

    def score(self, fitted: Fitted, task: TaskView) -> Scores:
        """Number of workers."""
        return np.array([float(len(team.workers)) for team in task.teams])


class BestFixedRouter(ScoringRouter):
    """The set of worker ids with the highest mean training outcome, chosen for every task.

    It means something where workers keep their ids over tasks. Where ids are dealt anew per task it is
    a shortcut check, and must score like chance. A set that is not legal for a task gives way to the next.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def fit(self, training: Training) -> Fitted:
        """Mean training outcome per set of worker ids."""
        found: dict[str, list[float]] = defaultdict(list)
        for task in training.tasks:
            for team in task.teams:
                if team.team_id in training.values.get(task.task_id, {}):
                    found[_members(team)].append(training.values[task.task_id][team.team_id])
        return {"means": {members: sum(values) / len(values) for members, values in sorted(found.items())}}

    def score(self, fitted: Fitted, task: TaskView) -> Scores:
        """The mean training outcome of the same set of workers; a set never seen comes last."""
        return np.array([fitted["means"].get(_members(team), -1.0) for team in task.teams])


def _members(team: Team) -> str:
    return " ".join(sorted(team.workers))
