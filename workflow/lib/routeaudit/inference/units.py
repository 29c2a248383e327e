"""Reduction of tasks to resampling units: the tasks, or source clusters where a source id repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Units:
    """Sums per resampling unit.

    ``sums`` is (G, q): S_g of each column; ``sizes`` is (G,): n_g, the tasks of the unit. Without repeated
    source ids G = T, n_g = 1 and ``sums`` are the task values themselves.
    """

    sums: FloatArray
    sizes: FloatArray
    n_tasks: int
    clustered: bool

    @property
    def count(self) -> int:
        """G, the number of resampling units."""
        return int(self.sizes.size)

    @property
    def means(self) -> FloatArray:
        """Task-weighted mean of each column, shape (q,)."""
        total: FloatArray = self.sums.sum(axis=0) / self.n_tasks
        return total

    @property
    def residuals(self) -> FloatArray:
        """e_g = S_g - mean * n_g, shape (G, q): the influence of a unit on the mean, times T."""
        return self.sums - self.sizes[:, None] * self.means

    def standard_errors(self) -> FloatArray:
        """Linearised CR1 standard error of each mean (statistics.md A6); equals s / sqrt(T) when n_g = 1.

        Residuals within 1e-12 of zero everywhere are rounding of a constant column: its error is exactly 0.
        """
        residuals = self.residuals
        constant = np.abs(residuals).max(axis=0) <= _ROUNDING
        squares = np.where(constant, 0.0, np.einsum("gq,gq->q", residuals, residuals))
        result: FloatArray = np.sqrt(self.count / (self.count - 1) * squares) / self.n_tasks
        return result


def reduce_to_units(values: FloatArray, clusters: IntArray | None = None) -> Units:
    """Sum the columns of ``values`` (T, q) within clusters; ``clusters`` holds one code per task, or None.

    Clusters are used whenever any code repeats (statistics.md A6).
    """
    n_tasks = values.shape[0]
    if clusters is None or np.unique(clusters).size == n_tasks:
        return Units(values, np.ones(n_tasks), n_tasks, clustered=False)
    _, first, codes = np.unique(clusters, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    codes = order[codes]
    sizes = np.bincount(codes).astype(np.float64)
    sums: FloatArray = np.stack([np.bincount(codes, weights=column) for column in values.T], axis=1)
    return Units(sums, sizes, n_tasks, clustered=True)
