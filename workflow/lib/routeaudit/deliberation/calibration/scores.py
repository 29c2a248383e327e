"""Scored candidates and their table of distinct scores, from which every calibration statistic follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, IntArray
from routeaudit.errors import InputError

_DENSE_RANGE = 1 << 16


@dataclass(frozen=True)
class ScoreTable:
    """Distinct forecasts in increasing order and how often each met a wrong and a correct candidate.

    values : (K,) forecasts as reported; code : (n,) index of each row's forecast
    """

    values: AnyArray
    code: IntArray

    @property
    def n_values(self) -> int:
        return len(self.values)

    def counts(self, correct: BoolArray) -> tuple[FloatArray, FloatArray]:
        """(wrong, correct) counts per distinct forecast, each (K,)."""
        both = np.bincount(2 * self.code + correct, minlength=2 * self.n_values).reshape(-1, 2)
        return both[:, 0].astype(np.float64), both[:, 1].astype(np.float64)

    def cluster_counts(
        self, correct: BoolArray, cluster: IntArray, n_clusters: int
    ) -> tuple[FloatArray, FloatArray]:
        """(wrong, correct) counts per cluster and distinct forecast, each (G, K)."""
        cell = (cluster * self.n_values + self.code) * 2 + correct
        both = np.bincount(cell, minlength=2 * n_clusters * self.n_values)
        table = both.reshape(n_clusters, self.n_values, 2).astype(np.float64)
        return table[..., 0], table[..., 1]


def score_table(score: AnyArray) -> ScoreTable:
    """Table of the distinct scores (n,). Small integers are counted, anything else is sorted."""
    if score.size and np.issubdtype(score.dtype, np.integer):
        low, high = int(score.min()), int(score.max())
        if high - low < _DENSE_RANGE:
            return _count_integers(score.astype(np.int64) - low, low, high - low + 1)
    values, code = np.unique(score, return_inverse=True)
    return ScoreTable(values, code.astype(np.int64))


def _count_integers(shifted: IntArray, low: int, width: int) -> ScoreTable:
    present = np.flatnonzero(np.bincount(shifted, minlength=width))
    lookup = np.zeros(width, dtype=np.int64)
    lookup[present] = np.arange(len(present))
    return ScoreTable(present + low, lookup[shifted])


@dataclass(frozen=True)
class Candidates:
    """Valid candidates: n rows.

    score : (n,) as reported, on 0..scale; correct : (n,); cluster : (n,) problem code 0..G-1
    agent : (n,) agent code
    """

    score: AnyArray
    scale: float
    correct: BoolArray
    cluster: IntArray
    n_clusters: int
    agent: IntArray

    def __post_init__(self) -> None:
        if self.score.size and not (self.score.min() >= 0 and self.score.max() <= self.scale):
            raise InputError(
                "candidate scores",
                f"values in [0, {self.scale:g}]",
                f"values in [{self.score.min()}, {self.score.max()}]",
                "set the scale of the scores or mark the polls outside of it invalid",
            )

    @property
    def probability(self) -> FloatArray:
        return np.asarray(self.score, dtype=np.float64) / self.scale
