"""Calibrated local pair scores: the log odds that a second-hop card continues a first-hop card."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from routeaudit.cover.routers.base import Fitted, Scores
from routeaudit.cover.routers.evidence import (
    CARD_NAMES,
    TaskEvidence,
    card_names,
    pair_names,
    task_evidence,
)
from routeaudit.cover.routers.linear import Matrix, fit_logistic, logit
from routeaudit.cover.routers.material import Training
from routeaudit.cover.routers.slots import hop_slots
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView


def local_names(dense: bool) -> tuple[str, ...]:
    """Names of the features of a pair with its two cards."""
    cards = card_names(dense)
    return (*(f"first_{name}" for name in cards), *(f"second_{name}" for name in cards), *pair_names(dense))


@dataclass(frozen=True)
class PairTable:
    """A task's pairs of workers that a legal team may hold.

    Parameters
    ----------
    pairs : (first-hop worker, second-hop worker)
    features : pairs by `local_names`, as deviations from the task's mean pair
    slots : numbers of first- and second-hop workers where the family is their product (pairs row by row)
    """

    pairs: tuple[tuple[str, str], ...]
    features: Matrix
    slots: tuple[int, int] | None

    def held(self, task: TaskView) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Which pairs each team holds, teams by pairs."""
        teams = [set(team.workers) for team in task.teams]
        return np.array([[one in team and two in team for one, two in self.pairs] for team in teams])


def pair_table(corpus: Corpus, task: TaskView, dense: bool = False) -> PairTable:
    """The pairs across the two slots of a product family, or all pairs of any other family."""
    return corpus.remember(f"pair_table {dense=}", task, lambda: _measure(corpus, task, dense))


def _measure(corpus: Corpus, task: TaskView, dense: bool) -> PairTable:
    evidence, slots = task_evidence(corpus, task, dense), hop_slots(corpus, task)
    if slots is None:
        pairs = tuple(_in_hop_order(evidence, pair) for pair in combinations(sorted(task.cards), 2))
        return PairTable(pairs, _features(evidence, pairs), None)
    pairs = tuple((one, two) for one in slots.first for two in slots.second)
    return PairTable(pairs, _features(evidence, pairs), (len(slots.first), len(slots.second)))


def _in_hop_order(evidence: TaskEvidence, pair: tuple[str, str]) -> tuple[str, str]:
    """The worker that the question names better comes first."""
    named = evidence.cards[:, CARD_NAMES.index("head_asked")]
    one, two = pair
    return pair if named[evidence.places[one]] >= named[evidence.places[two]] else (two, one)


def _features(evidence: TaskEvidence, pairs: tuple[tuple[str, str], ...]) -> Matrix:
    first = [evidence.places[one] for one, _ in pairs]
    second = [evidence.places[two] for _, two in pairs]
    raw = np.hstack([evidence.cards[first], evidence.cards[second], evidence.pairs[first, second]])
    centred: Matrix = raw - raw.mean(axis=0)
    return centred


def outcome_labels(table: PairTable, training: Training, task: TaskView) -> Scores:
    """Per pair the mean outcome of the training teams that hold it; NaN where none has an outcome."""
    outcomes = training.outcomes(task)
    held = table.held(task)[~np.isnan(outcomes)]
    counts = held.sum(axis=0).astype(float)
    counts[counts == 0] = np.nan
    labels: Scores = outcomes[~np.isnan(outcomes)] @ held / counts
    return labels


def fit_pairs(
    training: Training, labels: list[Scores], inverse_penalty: float, dense: bool = False
) -> Fitted:
    """Logistic regression of pair labels in [0, 1] on pair features; NaN labels are left out."""
    features = np.vstack([pair_table(training.corpus, task, dense).features for task in training.tasks])
    targets = np.concatenate(labels)
    known = ~np.isnan(targets)
    return fit_logistic(features[known], targets[known], inverse_penalty, local_names(dense))


def pair_log_odds(fitted: Fitted, table: PairTable) -> Scores:
    """Calibrated log odds of every pair."""
    return logit(fitted, table.features)
