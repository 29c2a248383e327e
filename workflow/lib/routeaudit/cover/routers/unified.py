"""Unified-COVER: calibrated local pair scores, then a partition decoder; and the same scores without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, best_route
from routeaudit.cover.routers.linear import Matrix
from routeaudit.cover.routers.local import fit_pairs, pair_log_odds, pair_table
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.partition import assignment_scores, posterior_scores
from routeaudit.cover.routers.view import TaskView
from routeaudit.errors import InputError

Decoder = Literal["posterior", "assignment", "none"]

_DECODERS: dict[Decoder, Callable[[Matrix], Matrix]] = {
    "posterior": posterior_scores,
    "assignment": assignment_scores,
    "none": lambda log_odds: log_odds,
}


class PairRouter(Router):
    """The best pair across the two slots, by local log odds that a decoder has made consistent.

    The paper says: calibrated local pair scores, a global completion into a partition of the cards, the
    best team inside it. It defines neither features nor calibration, so ours is an interface-level
    adaptation. Local score: log odds of an L2 logistic regression on `local.NAMES`. Decoder `assignment`:
    the partition of most expected right links, by linear assignment. Decoder `posterior`: all partitions,
    each weighted by its links' odds. Decoder `none`: the local score alone, the attribution check.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float, decoder: Decoder) -> None:
        self._inverse_penalty = inverse_penalty
        self._decode = _DECODERS[decoder]

    def fit(self, training: Training) -> Fitted:
        """Weights of the local score."""
        labels = [self._labels(training, task) for task in training.tasks]
        return fit_pairs(training, labels, self._inverse_penalty)

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The best team of every task after decoding."""
        return [self._best(fitted, view, task) for task in view.tasks]

    def _best(self, fitted: Fitted, view: View, task: TaskView) -> Route:
        table = pair_table(view.corpus, task)
        return best_route(task, table.by_team(self._decode(pair_log_odds(fitted, table))))

    def _labels(self, training: Training, task: TaskView) -> Matrix:
        return pair_table(training.corpus, task).by_pair(training.outcomes(task))


class PrivilegedPairRouter(PairRouter):
    """The same, trained on the latent component labels: a positive control, never deployable.

    A pair is right where both workers' evidence belongs to one component.
    """

    information = InformationSet.PRIVILEGED

    def _labels(self, training: Training, task: TaskView) -> Matrix:
        if training.private is None:
            raise InputError("training", "latent component labels", "none", "give the study private evidence")
        component = training.private.components.get(task.task_id, {})
        if not any(component.values()):
            raise InputError(
                f"private/evidence, task {task.task_id!r}",
                "component ids",
                "none",
                "use a benchmark that has latent components",
            )
        same = [
            float(component[one] is not None and component[one] == component[two])
            for one, two in (team.workers for team in task.teams)
        ]
        return pair_table(training.corpus, task).by_pair(np.array(same))
