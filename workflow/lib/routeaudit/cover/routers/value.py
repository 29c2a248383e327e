"""Learned value router: predicted value of a team minus what it costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, best_route
from routeaudit.cover.routers.linear import Matrix, fit_logistic, probability, stack_outcomes
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.sets import NAMES, set_features
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView


class LearnedValueRouter(Router):
    """The team of the largest predicted outcome minus `cost_weight` times its cost.

    The paper names the router without defining it; ours is an interface-level adaptation: logistic
    regression on the set features and, for workers that keep their id and card over all training tasks,
    on their membership, alone and times their card's similarity to the question.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float, cost_weight: float) -> None:
        self._inverse_penalty = inverse_penalty
        self._cost_weight = cost_weight

    def fit(self, training: Training) -> Fitted:
        """Weights per standardised feature, and which workers are known by name."""
        staff = _permanent_workers(training.tasks)
        matrices = [_features(training.corpus, task, staff) for task in training.tasks]
        names = [*NAMES, *(f"with_{w}" for w in staff), *(f"asked_{w}" for w in staff)]
        model = fit_logistic(*stack_outcomes(training, matrices), self._inverse_penalty, names)
        return {"staff": staff, "model": model}

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of the best predicted balance."""
        return [best_route(task, self._balance(fitted, view.corpus, task)) for task in view.tasks]

    def _balance(self, fitted: Fitted, corpus: Corpus, task: TaskView) -> Scores:
        costs = np.array([team.cost for team in task.teams])
        value = probability(fitted["model"], _features(corpus, task, fitted["staff"]))
        balance: Scores = value - self._cost_weight * costs
        return balance


def _permanent_workers(tasks: Sequence[TaskView]) -> list[str]:
    """Workers that have one and the same card in every task."""
    shared = set.intersection(*(set(task.cards.items()) for task in tasks)) if len(tasks) > 1 else set()
    return sorted(worker for worker, _ in shared)


def _features(corpus: Corpus, task: TaskView, staff: Sequence[str]) -> Matrix:
    present = [[float(worker in team.workers) for worker in staff] for team in task.teams]
    member = np.array(present).reshape(len(task.teams), len(staff))
    cards = [task.cards.get(worker, "") for worker in staff]
    asked = corpus.by_grams([task.question], cards)[0] if cards else np.zeros(0)
    return np.hstack([set_features(corpus, task), member, member * asked])
