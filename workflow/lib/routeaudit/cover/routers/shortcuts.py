"""Shortcut attackers: routers that read no word; beating chance would show a leak in the public tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Scores, ScoringRouter
from routeaudit.cover.routers.linear import Matrix, fit_logistic, logit, stack_outcomes
from routeaudit.cover.routers.material import Training
from routeaudit.cover.routers.view import TaskView, Team


def _number(identifier: str) -> float:
    """The digits of an id as a number; without digits, its first letter's place."""
    digits = re.sub(r"\D", "", identifier)
    return float(digits) if digits else float(ord(identifier[:1] or "\0"))


def _ids(task: TaskView, team: Team) -> list[float]:
    numbers = [_number(worker) for worker in team.workers]
    parity = _number(task.task_id) % 2 * 2 - 1
    mean = float(np.mean(numbers))
    return [_number(team.team_id), mean, max(numbers) - min(numbers), parity * mean]


def _order(task: TaskView, team: Team) -> list[float]:
    places = [list(task.cards).index(worker) for worker in team.workers]
    return [float(team.rank), float(min(places)), float(max(places)), float(places[0] - places[-1])]


def _lengths(task: TaskView, team: Team) -> list[float]:
    sizes = [float(len(task.cards[worker])) for worker in team.workers]
    return [*_card_sizes(task, team), float(np.mean(sizes)) * len(task.question)]


def _card_sizes(task: TaskView, team: Team) -> list[float]:
    sizes = [float(len(task.cards[worker])) for worker in team.workers]
    counts = [float(len(task.cards[worker].split())) for worker in team.workers]
    return [sum(sizes), min(sizes), max(sizes), sum(counts), max(counts) - min(counts)]


CUES: Mapping[str, Callable[[TaskView, Team], list[float]]] = {
    "ids": _ids,
    "order": _order,
    "lengths": _lengths,
    "card_sizes": _card_sizes,
}


class ShortcutRouter(ScoringRouter):
    """Logistic regression on one wordless cue, fitted to the training outcomes.

    Cues: `ids` of workers, team and task as numbers; `order` of cards in the file and of teams in the
    canonical order; `lengths` of question and cards; `card_sizes` in characters and words.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, cue: str, inverse_penalty: float) -> None:
        self._cue = CUES[cue]
        self._inverse_penalty = inverse_penalty

    def fit(self, training: Training) -> Fitted:
        """Weights per standardised feature of the cue."""
        matrix, targets = stack_outcomes(training, [self._features(task) for task in training.tasks])
        return fit_logistic(matrix, targets, self._inverse_penalty, [str(i) for i in range(matrix.shape[1])])

    def score(self, fitted: Fitted, task: TaskView) -> Scores:
        """Log odds that the cue gives each team."""
        return logit(fitted, self._features(task))

    def _features(self, task: TaskView) -> Matrix:
        return np.array([self._cue(task, team) for team in task.teams])
