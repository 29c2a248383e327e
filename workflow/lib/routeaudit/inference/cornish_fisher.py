"""Analytic engine: cumulants of the B = infinity bootstrap of a mean, its quantiles and its studentized
p-value.

Cornish-Fisher inversion to third order (statistics.md A5(c); Davison and Hinkley 1988; Hall 1992, sections
2.4 and 2.6). Deterministic. Meant for T >= 50 (statistics.md C-i).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special
from threadpoolctl import threadpool_limits

from routeaudit.inference.units import FloatArray

_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and central moments m2, m3, m4 (divisor G) of the unit values of each column, and G."""

    mean: FloatArray
    m2: FloatArray
    m3: FloatArray
    m4: FloatArray
    count: int

    @property
    def skewness(self) -> FloatArray:
        """m3 / m2^1.5."""
        result: FloatArray = self.m3 / self.m2**1.5
        return result

    @property
    def excess_kurtosis(self) -> FloatArray:
        """m4 / m2^2 - 3."""
        result: FloatArray = self.m4 / self.m2**2 - 3
        return result


def column_moments(columns: FloatArray) -> Moments:
    """Moments of each column of (G, q) in one blocked pass over the centred values."""
    count, q = columns.shape
    mean = columns.mean(axis=0)
    sums = np.zeros((3, q))
    for start in range(0, count, _BLOCK):
        centred = columns[start : start + _BLOCK] - mean
        square = centred * centred
        sums[0] += square.sum(axis=0)
        sums[1] += np.einsum("gq,gq->q", square, centred)
        sums[2] += np.einsum("gq,gq->q", square, square)
    m2, m3, m4 = sums / count
    return Moments(mean, m2, m3, m4, count)


def contrast_moments(columns: FloatArray, contrasts: FloatArray) -> Moments:
    """Moments of ``columns @ contrasts.T`` for pair contrasts (rows with one +1 and one -1) from Gram
    matrices.

    ``columns`` is (G, P), ``contrasts`` is (C, P). One pass whose cost does not depend on the number of
    pairs: powers of a difference expand into sums of x^a y^b, the entries of the Gram matrices of centred [R,
    R^2, R^3].
    """
    count, p = columns.shape
    mean, second, third = _power_sums(columns)
    plus, minus = np.argmax(contrasts, axis=1), np.argmin(contrasts, axis=1)
    one, two, square = second[:p, :p], second[p:, :p], second[p:, p:]
    cubes = np.diag(two)
    m2 = np.diag(one)[plus] - 2 * one[plus, minus] + np.diag(one)[minus]
    m3 = cubes[plus] - 3 * two[plus, minus] + 3 * two[minus, plus] - cubes[minus]
    fourths = np.diag(square)
    m4 = (
        fourths[plus]
        - 4 * third[plus, minus]
        + 6 * square[plus, minus]
        - 4 * third[minus, plus]
        + fourths[minus]
    )
    return Moments(mean[plus] - mean[minus], m2 / count, m3 / count, m4 / count, count)


def _power_sums(columns: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means, Gram matrix of centred [R, R^2] (2P, 2P) and of R^3 with R (P, P)."""
    count, p = columns.shape
    mean: FloatArray = columns.mean(axis=0)
    second, third = np.zeros((2 * p, 2 * p)), np.zeros((p, p))
    powers, cubes = np.empty((_BLOCK, 2 * p)), np.empty((_BLOCK, p))
    # One thread: products of this size lose more to waiting for each other than they gain.
    with threadpool_limits(1):
        for start in range(0, count, _BLOCK):
            block = columns[start : start + _BLOCK]
            part, cube = powers[: block.shape[0]], cubes[: block.shape[0]]
            np.subtract(block, mean, out=part[:, :p])
            np.multiply(part[:, :p], part[:, :p], out=part[:, p:])
            np.multiply(part[:, p:], part[:, :p], out=cube)
            second += part.T @ part
            third += cube.T @ part[:, :p]
    return mean, second, third


def bootstrap_quantile(moments: Moments, level: float) -> FloatArray:
    """Quantile at ``level`` of each column's resampled mean; cumulants k2 = m2/G, k3 = m3/G^2, k4 of A5."""
    z = float(special.ndtri(level))
    count = moments.count
    skew, kurt = moments.skewness / np.sqrt(count), moments.excess_kurtosis / count
    shift = (z * z - 1) * skew / 6 + (z**3 - 3 * z) * kurt / 24 - (2 * z**3 - 5 * z) * skew**2 / 36
    result: FloatArray = moments.mean + np.sqrt(moments.m2 / count) * (z + shift)
    return result


def studentized_p(moments: Moments) -> FloatArray:
    """Two-sided p of mean = 0 from the Edgeworth law of the bootstrap-t (Hall 1992, equation 2.6), floored at
    0.

    The odd term cancels in a two-sided probability, which leaves 2 (1 - Phi(t)) - 2 q2(t) phi(t) / G.
    """
    count = moments.count
    t = np.abs(moments.mean) / np.sqrt(moments.m2 / (count - 1))
    skew, kurt = moments.skewness, moments.excess_kurtosis
    q2 = t * (kurt * (t * t - 3) / 12 - skew**2 * (t**4 + 2 * t * t - 3) / 18 - (t * t + 3) / 4)
    density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
    tail = 2 * special.ndtr(-t) - 2 * q2 * density / count
    result: FloatArray = np.clip(tail, 0.0, 1.0)
    return result
