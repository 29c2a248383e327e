"""Best-of-j curve: the expected best of j teams drawn from a family (A4)."""

from __future__ import annotations

import numpy as np
from scipy import special

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.sampled import SampledFamily
from routeaudit.inference.units import FloatArray


def best_of_curve(cells: Cells, sample: SampledFamily) -> FloatArray:
    """Per-task estimate of E[max of j teams drawn from F_t] for j = 1..min m_t, shape (T, J); S_t only.

    U-statistic sum_{k=j}^{m} y_(k) C(k-1, j-1) / C(m, j) over the sorted sampled outcomes (as pass@k, Chen et
    al. 2021). Never extrapolated beyond the smallest sample.
    """
    drawn = [cells.value[low:high][sample.mask[low:high]] for low, high in _spans(cells)]
    limit = min(values.size for values in drawn)
    return np.stack([best_of(values, limit) for values in drawn])


def _spans(cells: Cells) -> zip[tuple[int, int]]:
    return zip(cells.offsets[:-1], cells.offsets[1:], strict=True)


def best_of(values: FloatArray, limit: int) -> FloatArray:
    """E[max of j without replacement] for j = 1..limit from one task's sampled outcomes, exactly."""
    ordered = np.sort(values)
    m, j = ordered.size, np.arange(1, limit + 1)
    k = np.arange(1, m + 1)
    weights = special.comb(k[None, :] - 1, j[:, None] - 1) / special.comb(m, j)[:, None]
    result: FloatArray = weights @ ordered
    return result
