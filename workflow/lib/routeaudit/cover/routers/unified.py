"""Unified-COVER: calibrated local pair scores, then a partition decoder; and the same scores without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.special import expit

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, best_route
from routeaudit.cover.routers.linear import Matrix
from routeaudit.cover.routers.local import PairTable, fit_pairs, outcome_labels, pair_log_odds, pair_table
from routeaudit.cover.routers.matching import best_matching
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
    """The best team by the local log odds of its pairs, which a decoder has made consistent.

    The paper says: calibrated local pair scores, a global completion into a partition of the cards, the
    best team inside it. It defines neither features nor calibration, so ours is an interface-level
    adaptation. Local score: log odds of an L2 logistic regression on `local.local_names`. Decoder
    `assignment`: the partition of most expected right links, by linear assignment. Decoder `posterior`: all
    partitions, each weighted by its links' odds. Decoder `none`: the local score alone, to attribute gains.

    Where the family is no product of two slots, both decoders take the partition into pairs of most
    expected right links, by exact search, and a team is worth the probabilities of the links that it holds.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float, decoder: Decoder, dense: bool = False) -> None:
        self._inverse_penalty = inverse_penalty
        self._decoder = decoder
        self._dense = dense

    def fit(self, training: Training) -> Fitted:
        """Weights of the local score."""
        labels = [self._labels(training, task) for task in training.tasks]
        return fit_pairs(training, labels, self._inverse_penalty, self._dense)

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The best team of every task after decoding."""
        return [self._best(fitted, view, task) for task in view.tasks]

    def _best(self, fitted: Fitted, view: View, task: TaskView) -> Route:
        table = pair_table(view.corpus, task, self._dense)
        log_odds = pair_log_odds(fitted, table)
        held = table.held(task)
        if table.slots is not None:
            decoded = _DECODERS[self._decoder](log_odds.reshape(table.slots)).ravel()
            return best_route(task, decoded[held.argmax(axis=1)])
        chances = expit(log_odds)
        if self._decoder != "none":
            chances = np.where(_matched(table, chances), chances, 0.0)
        return best_route(task, held @ chances)

    def _labels(self, training: Training, task: TaskView) -> Scores:
        return outcome_labels(pair_table(training.corpus, task), training, task)


def _matched(table: PairTable, chances: Scores) -> list[bool]:
    """Which pairs the best partition into pairs holds."""
    places = {worker: place for place, worker in enumerate(sorted({w for pair in table.pairs for w in pair}))}
    ends = [tuple(sorted((places[one], places[two]))) for one, two in table.pairs]
    weights = np.zeros((len(places), len(places)))
    for (one, two), chance in zip(ends, chances, strict=True):
        weights[one, two] = chance
    chosen = best_matching(weights)
    return [pair in chosen for pair in ends]


class PrivilegedPairRouter(PairRouter):
    """The same, trained on the latent component labels: a positive control, never deployable.

    A pair is right where both workers' evidence belongs to one component.
    """

    information = InformationSet.PRIVILEGED

    def _labels(self, training: Training, task: TaskView) -> Scores:
        component = training.private.components.get(task.task_id, {}) if training.private else {}
        if not any(component.values()):
            raise InputError(
                f"private/evidence, task {task.task_id!r}",
                "component ids",
                "none",
                "use a benchmark that has latent components",
            )
        pairs = pair_table(training.corpus, task).pairs
        same = [component[one] is not None and component[one] == component[two] for one, two in pairs]
        return np.array(same, dtype=float)
