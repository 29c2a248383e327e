"""Gaffke's finite-sample bound for the mean of bounded outcomes, by numerical inversion.

The bound is a quantile of sum_i W_i z_i + W_{T+1} with W uniform on the simplex (Gaffke 2005; Learned-Miller
and Thomas 2019; validity is proved in special cases and conjectured in general). W = E / sum E with
exponential E, so P(sum W_i a_i <= x) = P(sum E_i (a_i - x) <= 0), one Imhof integral. Deterministic: no seed.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import special

from routeaudit.inference.units import FloatArray

_NODES = 256
_BISECTIONS = 40


@cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on (0, pi/2)."""
    nodes, weights = special.roots_legendre(_NODES)
    return (nodes + 1) * np.pi / 4, weights * np.pi / 4


def _probability_at_most(points: FloatArray, x: FloatArray) -> FloatArray:
    """P(sum W_i points_i <= x) for each row of ``points`` (R, n) and each ``x`` (R,)."""
    shifted = points - x[:, None]
    scale = np.sqrt(np.einsum("rn,rn->r", shifted, shifted))
    theta, weight = _quadrature()
    t = np.tan(theta) / scale[:, None]
    phase = np.zeros_like(t)
    log_modulus = np.zeros_like(t)
    for column in shifted.T:
        product = t * column[:, None]
        phase += np.arctan(product)
        log_modulus += 0.5 * np.log1p(product * product)
    jacobian = 1 / (np.sin(theta) * np.cos(theta))
    integral = (np.sin(phase) * np.exp(-log_modulus) * jacobian) @ weight
    result: FloatArray = 0.5 - integral / np.pi
    return result


def _upper_bounds(values: FloatArray, level: float) -> FloatArray:
    points = np.concatenate([values, np.ones((values.shape[0], 1))], axis=1)
    low, high = values.mean(axis=1) * values.shape[1] / (values.shape[1] + 1), np.ones(values.shape[0])
    low = np.minimum(low, values.min(axis=1))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = _probability_at_most(points, middle) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def gaffke_bounds(
    values: FloatArray, level: float, support: tuple[float, float] = (0.0, 1.0)
) -> tuple[FloatArray, FloatArray]:
    """One-sided lower and upper bounds of the mean, each of confidence ``level``.

    ``values`` is (R, T), one sample per row, inside ``support``. A two-sided interval of level 1 - a takes
    bounds of level 1 - a/2.
    """
    low, high = support
    scaled = np.sort((np.atleast_2d(values) - low) / (high - low), axis=1)
    upper = _upper_bounds(scaled, level)
    lower = 1 - _upper_bounds(1 - scaled[:, ::-1], level)
    return low + (high - low) * lower, low + (high - low) * upper
