"""Family-wise error over a frozen family of tests: Holm (decides) and Romano-Wolf (companion)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from routeaudit.inference.units import FloatArray, IntArray

_TOLERANCE = 1e-12


def holm(p_values: FloatArray) -> FloatArray:
    """Holm (1979) adjusted p of the m declared tests, shape (m,).

    A NaN p enters as 1 and still counts in m (statistics.md A7), so a test that could not be run never helps
    the others.
    """
    p = np.where(np.isnan(p_values), 1.0, p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(np.minimum(1.0, (p.size - np.arange(p.size)) * p[order]))
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted


Replicates = Callable[[IntArray], FloatArray]
_COLUMNS_AT_ONCE = 256


def romano_wolf(replicates: Replicates, t: FloatArray) -> FloatArray:
    """Romano-Wolf (2005) step-down max-T adjusted p of observed ``t`` (m,).

    ``replicates`` gives the t replicates (B, k) of the k tests it is asked for, so that a large family never
    lies in memory at once. The maximum runs from the smallest deviation upwards.
    """
    size = np.abs(t)
    ascending = np.argsort(-size, kind="stable")[::-1]
    reached, raw = None, np.empty(t.size)
    for start in range(0, t.size, _COLUMNS_AT_ONCE):
        block = ascending[start : start + _COLUMNS_AT_ONCE]
        sizes = np.abs(replicates(block)).T
        if reached is not None:
            np.maximum(sizes[0], reached, out=sizes[0])
        running = np.maximum.accumulate(sizes, axis=0)
        reached = running[-1].copy()
        exceed = (running >= size[block, None] - _TOLERANCE).sum(axis=1)
        raw[block] = (1 + exceed) / (running.shape[1] + 1)
    adjusted = np.empty(t.size)
    adjusted[ascending[::-1]] = np.maximum.accumulate(raw[ascending[::-1]])
    return adjusted
