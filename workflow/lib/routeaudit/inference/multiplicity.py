"""Family-wise error over a frozen family of tests: Holm (decides) and Romano-Wolf (companion)."""

from __future__ import annotations

import numpy as np

from routeaudit.inference.units import FloatArray

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


def romano_wolf(t_replicates: FloatArray, t: FloatArray) -> FloatArray:
    """Romano-Wolf (2005) step-down max-T adjusted p from ``t_replicates`` (B, m) and observed ``t`` (m,)."""
    order = np.argsort(-np.abs(t), kind="stable")
    sizes = np.abs(t_replicates)[:, order]
    tail_max = np.maximum.accumulate(sizes[:, ::-1], axis=1)[:, ::-1]
    exceed = (tail_max >= np.abs(t)[order] - _TOLERANCE).sum(axis=0)
    stepped = np.maximum.accumulate((1 + exceed) / (t_replicates.shape[0] + 1))
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted
