"""What a router is: an information set, `fit` on training data, `route` over public tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.view import TaskView

Fitted = Mapping[str, Any]
"""Fitted parameters: anything that JSON can say, so that a frozen route can be checked without pickles."""

Scores = npt.NDArray[np.float64]


class InformationSet(StrEnum):
    """What the fitting process may open, beside the public tables."""

    PUBLIC = "public"
    OUTCOME_SUPERVISED = "outcome_supervised_public"
    PRIVILEGED = "privileged"


@dataclass(frozen=True)
class Route:
    """One chosen team.

    Parameters
    ----------
    score : the router's own, only comparable within a task
    fallback : the router found no answer and drew a team; counted in the header
    """

    task_id: str
    team_id: str
    score: float | None = None
    fallback: bool = False


class Router(ABC):
    """A policy: task -> legal team.

    A subclass names its `information` set; the freezing process opens exactly that much. It is
    deterministic: chance comes from `Training.seed` and the task id alone.
    """

    information: ClassVar[InformationSet]

    def fit(self, training: Training) -> Fitted:
        """Parameters learned from the training tasks; a router that learns nothing returns none."""
        return {}

    @abstractmethod
    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """One legal team for every task of `view`."""


class ScoringRouter(Router):
    """A router that scores every legal team and takes the best; ties go to the lowest canonical rank."""

    @abstractmethod
    def score(self, fitted: Fitted, task: TaskView) -> Scores:
        """One finite score per legal team, in the order of `task.teams`."""

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The best-scored legal team of every task."""
        return [best_route(task, self.score(fitted, task)) for task in view.tasks]


def best_route(task: TaskView, scores: Scores) -> Route:
    """The team of the highest score; `task.teams` is in canonical order, so the first maximum wins a tie."""
    best = int(np.argmax(scores))
    return Route(task.task_id, task.teams[best].team_id, float(scores[best]))
