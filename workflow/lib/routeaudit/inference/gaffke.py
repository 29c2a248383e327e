"""Gaffke's finite-sample bound for the mean of bounded outcomes, by numerical inversion.

The bound is a quantile of sum_i W_i z_i + W_{T+1} with W uniform on the simplex (Gaffke 2005; Learned-Miller
and Thomas 2019; validity is proved in special cases and conjectured in general). W = E / sum E with
exponential E, so P(sum W_i a_i <= x) = P(sum E_i (a_i - x) <= 0), one Imhof integral. Deterministic: no seed.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import special

from routeaudit.inference.units import FloatArray

_NODES = 256


@cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on (0, pi/2)."""
    nodes, weights = special.roots_legendre(_NODES)
    return (nodes + 1) * np.pi / 4, weights * np.pi / 4


def _probability_at_most(points: FloatArray, counts: FloatArray, x: float) -> float:
    """P(sum W_i points_i <= x), each distinct point taken ``counts`` times."""
    theta, weight = _quadrature()
    shifted = points - x
    t = np.tan(theta) / np.sqrt(counts @ shifted**2)
    product = np.outer(shifted, t)
    phase = counts @ np.arctan(product)
    log_modulus = 0.5 * (counts @ np.log1p(product * product))
    integrand = np.sin(phase) * np.exp(-log_modulus) / (np.sin(theta) * np.cos(theta))
    return 0.5 - float(integrand @ weight) / math.pi


def _upper_bound(values: FloatArray, level: float) -> float:
    points, counts = np.unique(np.append(values, 1.0), return_counts=True)
    if points.size == 1:
        return 1.0
    weights = counts.astype(np.float64)

    def excess(x: float) -> float:
        return _probability_at_most(points, weights, x) - level

    # Slow to import, seldom needed.
    from scipy.optimize import brentq

    return float(brentq(excess, points[0], 1.0, xtol=1e-12))


def gaffke_bounds(
    values: FloatArray, level: float, support: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    """One-sided lower and upper bounds of the mean of ``values`` (T,), each of confidence ``level``.

    Values lie in ``support``. A two-sided interval of level 1 - a takes bounds of level 1 - a/2.
    """
    low, high = support
    scaled = np.clip((values - low) / (high - low), 0.0, 1.0)
    lower, upper = 1 - _upper_bound(1 - scaled, level), _upper_bound(scaled, level)
    return low + (high - low) * lower, low + (high - low) * upper
