"""Names for the array types of this package and two reductions that every metric uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]


def cluster_sum(values: AnyArray, cluster: IntArray, n_clusters: int) -> FloatArray:
    """Sum of ``values`` (n,) within each cluster code: (G,), float64, exact for counts."""
    return np.asarray(np.bincount(cluster, weights=values, minlength=n_clusters), dtype=np.float64)


def cluster_summer(cluster: IntArray, n_clusters: int) -> Callable[[AnyArray], FloatArray]:
    """``cluster_sum`` for many columns of the same rows; where equal codes are adjacent, by runs."""
    if cluster.size == 0 or (cluster[1:] < cluster[:-1]).any():
        return lambda values: cluster_sum(values, cluster, n_clusters)
    starts = np.flatnonzero(np.concatenate([[True], cluster[1:] != cluster[:-1]]))
    codes = cluster[starts]

    def run_sums(values: AnyArray) -> FloatArray:
        wide = np.float64 if np.issubdtype(values.dtype, np.floating) else np.int64
        out = np.zeros(n_clusters)
        out[codes] = np.add.reduceat(values, starts, dtype=wide)
        return out

    return run_sums


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Elementwise quotient, NaN where the denominator is 0 (never a silent 0)."""
    out = np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), np.nan)
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) != 0)
    return out
