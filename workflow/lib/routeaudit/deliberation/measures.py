"""A measure = a function of additive per-problem sums, so that one weight matrix serves all intervals.

Statistics E1: reduce once to Z (G x q); a bootstrap replicate is ``combine(W Z)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, FloatArray, IntArray, cluster_sum, ratio

Combine = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Measure:
    """One statistic before its interval is known.

    sums : (G, q) additive sums per problem cluster
    combine : maps totals (..., q) to the statistic (...); NaN where it is undefined
    numerator, denominator : what the estimate counts, in units of ``unit``; the numerator is None where
        the statistic is no ratio (AUROC, ECE)
    """

    name: str
    sums: FloatArray
    combine: Combine
    unit: str
    denominator: float
    numerator: float | None = None
    flags: tuple[str, ...] = ()
    definition: str = ""

    @property
    def n_clusters(self) -> int:
        return int(self.sums.shape[0])

    @property
    def estimate(self) -> float:
        return float(self.combine(self.sums.sum(axis=0)[None, :])[0])


def _quotient(totals: FloatArray) -> FloatArray:
    return ratio(totals[..., 0], totals[..., 1])


def _difference(totals: FloatArray) -> FloatArray:
    return ratio(totals[..., 0] - totals[..., 1], totals[..., 2])


def ratio_measure(
    name: str, numerator: FloatArray, denominator: FloatArray, unit: str, definition: str = ""
) -> Measure:
    """Ratio of two per-cluster sums, both (G,)."""
    return Measure(
        name=name,
        sums=np.column_stack([numerator, denominator]),
        combine=_quotient,
        unit=unit,
        numerator=float(numerator.sum()),
        denominator=float(denominator.sum()),
        definition=definition,
    )


def difference_measure(
    name: str, plus: FloatArray, minus: FloatArray, denominator: FloatArray, unit: str, definition: str = ""
) -> Measure:
    """(plus - minus) / denominator, the three resampled together: a paired gap."""
    return Measure(
        name=name,
        sums=np.column_stack([plus, minus, denominator]),
        combine=_difference,
        unit=unit,
        numerator=float(plus.sum() - minus.sum()),
        denominator=float(denominator.sum()),
        definition=definition,
    )


def mean_measure(name: str, values: AnyArray, cluster: IntArray, n_clusters: int, unit: str) -> Measure:
    """Mean of per-row values, rows clustered by problem."""
    return ratio_measure(
        name,
        cluster_sum(values, cluster, n_clusters),
        cluster_sum(np.ones(len(values)), cluster, n_clusters),
        unit,
    )
