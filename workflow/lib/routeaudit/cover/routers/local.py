"""Calibrated local pair scores: the log odds that a second-hop card continues a first-hop card."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.cover.routers.base import Fitted, Scores
from routeaudit.cover.routers.evidence import CARD_NAMES, PAIR_NAMES, task_evidence
from routeaudit.cover.routers.linear import Matrix, fit_logistic, logit
from routeaudit.cover.routers.material import Training
from routeaudit.cover.routers.slots import hop_slots
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView

NAMES = (*(f"first_{name}" for name in CARD_NAMES), *(f"second_{name}" for name in CARD_NAMES), *PAIR_NAMES)


@dataclass(frozen=True)
class PairTable:
    """One task's pairs across its slots.

    Parameters
    ----------
    features : first by second by `NAMES`, as deviations from the task's mean pair
    teams : place of each pair's team in `task.teams`, first by second
    """

    features: Matrix
    teams: np.ndarray[tuple[int, int], np.dtype[np.int64]]

    def by_team(self, values: Matrix) -> Scores:
        """`values`, one per pair, in the order of the task's teams."""
        ordered = np.empty(values.size)
        ordered[self.teams.ravel()] = values.ravel()
        return ordered

    def by_pair(self, values: Scores) -> Matrix:
        """`values`, one per team, as a table of pairs."""
        table: Matrix = values[self.teams]
        return table


def pair_table(corpus: Corpus, task: TaskView) -> PairTable:
    """Features of every legal pair. Raises InputError where the family is no product of two slots."""
    return corpus.remember("pair_table", task, lambda: _measure(corpus, task))


def _measure(corpus: Corpus, task: TaskView) -> PairTable:
    evidence, slots = task_evidence(corpus, task), hop_slots(corpus, task)
    first = [evidence.places[worker] for worker in slots.first]
    second = [evidence.places[worker] for worker in slots.second]
    shape = (len(first), len(second), len(CARD_NAMES))
    firsts = np.broadcast_to(evidence.cards[first][:, None], shape)
    seconds = np.broadcast_to(evidence.cards[second][None], shape)
    raw = np.concatenate([firsts, seconds, evidence.pairs[np.ix_(first, second)]], axis=2)
    place = {frozenset(team.workers): number for number, team in enumerate(task.teams)}
    teams = np.array([[place[frozenset((one, two))] for two in slots.second] for one in slots.first])
    return PairTable(raw - raw.mean(axis=(0, 1), keepdims=True), teams)


def fit_pairs(training: Training, labels: list[Matrix], inverse_penalty: float) -> Fitted:
    """Logistic regression of pair labels on pair features.

    Parameters
    ----------
    labels : per training task, first by second, in [0, 1]; NaN where unknown
    """
    tables = [pair_table(training.corpus, task) for task in training.tasks]
    features = np.vstack([table.features.reshape(-1, len(NAMES)) for table in tables])
    targets = np.concatenate([label.ravel() for label in labels])
    known = ~np.isnan(targets)
    return fit_logistic(features[known], targets[known], inverse_penalty, NAMES)


def pair_log_odds(fitted: Fitted, table: PairTable) -> Matrix:
    """Calibrated log odds of every pair, first by second."""
    flat = logit(fitted, table.features.reshape(-1, len(NAMES)))
    return flat.reshape(table.features.shape[:2])
