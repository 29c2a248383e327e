"""Additive routers: each worker contributes its own value, and a team is worth the sum."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Ridge

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, best_route
from routeaudit.cover.routers.evidence import CARD_NAMES, task_evidence
from routeaudit.cover.routers.linear import Matrix
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView


class LeaveOneOutRouter(Router):
    """The team of the largest sum of predicted marginal contributions.

    A worker's contribution in a training task is the mean outcome of the teams with it minus that of the
    teams without it, which generalises leaving it out of one team. The paper names the comparator without
    defining it; ours is an interface-level adaptation: ridge regression of contributions on the
    question-card features `evidence.CARD_NAMES`, as deviations from the task's mean card.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, penalty: float) -> None:
        self._penalty = penalty

    def fit(self, training: Training) -> Fitted:
        """Ridge weights per standardised feature."""
        features = np.vstack([_features(training.corpus, task) for task in training.tasks])
        targets = np.concatenate([contributions(task, training.outcomes(task)) for task in training.tasks])
        known = ~np.isnan(targets)
        scale = features[known].std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        model = Ridge(alpha=self._penalty, fit_intercept=False).fit(features[known] / scale, targets[known])
        return {"names": list(CARD_NAMES), "weights": [float(w) for w in model.coef_ / scale]}

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team whose members contribute most."""
        return [best_route(task, self._scores(fitted, view.corpus, task)) for task in view.tasks]

    def _scores(self, fitted: Fitted, corpus: Corpus, task: TaskView) -> Scores:
        values = _features(corpus, task) @ np.asarray(fitted["weights"])
        worth = dict(zip(task.cards, values, strict=True))
        return np.array([sum(worth[worker] for worker in team.workers) for team in task.teams])


def _features(corpus: Corpus, task: TaskView) -> Matrix:
    cards = task_evidence(corpus, task).cards
    centred: Matrix = cards - cards.mean(axis=0)
    return centred


def contributions(task: TaskView, outcomes: Scores) -> Scores:
    """Mean outcome with minus mean outcome without each worker; NaN where either has no outcome."""
    member = np.array([[worker in team.workers for team in task.teams] for worker in task.cards])
    known = ~np.isnan(outcomes)
    values = np.where(known, outcomes, 0.0)
    with_it, without = member & known, ~member & known
    counts = np.stack([with_it.sum(axis=1), without.sum(axis=1)]).astype(float)
    counts[counts == 0] = np.nan
    found: Scores = (with_it @ values) / counts[0] - (without @ values) / counts[1]
    return found
