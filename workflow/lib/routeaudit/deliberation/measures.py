"""A measure = functions of additive per-problem sums, so that one weight matrix serves all intervals.

Statistics E1: reduce once to Z (G x q); a bootstrap replicate is ``combine(W Z)``; a subset of problems (a
tier) is the same measure with the other rows set to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, IntArray, cluster_sum, ratio

Combine = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Measure:
    """One statistic before its interval is known.

    sums : (G, q) additive sums per problem cluster
    combine : totals (..., q) -> statistic (...), NaN where undefined
    below : totals (..., q) -> denominator (...), in units of ``unit``
    above : totals (..., q) -> numerator (...); None where the statistic is no ratio (AUROC, ECE)
    """

    name: str
    sums: FloatArray
    combine: Combine
    below: Combine
    unit: str
    above: Combine | None = None
    definition: str = ""

    @property
    def n_clusters(self) -> int:
        return int(self.sums.shape[0])

    @property
    def estimate(self) -> float:
        return self._of_totals(self.combine)

    @property
    def denominator(self) -> float:
        return self._of_totals(self.below)

    @property
    def numerator(self) -> float | None:
        return None if self.above is None else self._of_totals(self.above)

    def _of_totals(self, function: Combine) -> float:
        return float(function(self.sums.sum(axis=0)[None, :])[0])

    def within(self, problems: BoolArray) -> Measure:
        """The same statistic over a subset of the problems, (G,) True where a problem counts."""
        return replace(self, sums=self.sums * problems[:, None])

    def named(self, name: str) -> Measure:
        """The same statistic under another name."""
        return replace(self, name=name)


def _first(totals: FloatArray) -> FloatArray:
    return totals[..., 0]


def _second(totals: FloatArray) -> FloatArray:
    return totals[..., 1]


def _third(totals: FloatArray) -> FloatArray:
    return totals[..., 2]


def _first_minus_second(totals: FloatArray) -> FloatArray:
    return totals[..., 0] - totals[..., 1]


def _quotient(totals: FloatArray) -> FloatArray:
    return ratio(totals[..., 0], totals[..., 1])


def _difference(totals: FloatArray) -> FloatArray:
    return ratio(totals[..., 0] - totals[..., 1], totals[..., 2])


def ratio_measure(
    name: str, numerator: FloatArray, denominator: FloatArray, unit: str, definition: str = ""
) -> Measure:
    """Ratio of two per-cluster sums, both (G,)."""
    sums = np.column_stack([numerator, denominator])
    return Measure(name, sums, _quotient, _second, unit, _first, definition)


def difference_measure(
    name: str, plus: FloatArray, minus: FloatArray, denominator: FloatArray, unit: str, definition: str = ""
) -> Measure:
    """(plus - minus) / denominator, the three resampled together: a paired gap."""
    sums = np.column_stack([plus, minus, denominator])
    return Measure(name, sums, _difference, _third, unit, _first_minus_second, definition)


def mean_measure(
    name: str, values: AnyArray, cluster: IntArray, n_clusters: int, unit: str, definition: str = ""
) -> Measure:
    """Mean of per-row values, rows clustered by problem."""
    count = cluster_sum(np.ones(len(values)), cluster, n_clusters)
    return ratio_measure(name, cluster_sum(values, cluster, n_clusters), count, unit, definition)
