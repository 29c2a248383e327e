"""Tail of the studentized bootstrap of a mean by saddlepoint: the B = infinity law where Monte Carlo has no
replicates left.

A resampled t is at least t0 exactly when the sum S and the sum of squares Q of the resampled residuals
satisfy S >= x sqrt(G Q), x = t0 / sqrt(G - 1 + t0^2): a self-normalised sum. The saddlepoint density of
(S, Q) is integrated along that boundary by Laplace's method and beyond it in the manner of Lugannani and Rice
(Daniels and Young 1991; Jing, Shao and Zhou 2004). The tilted law weighs residual e by exp(-lam (e - m)^2),
with (m, lam) such that its mean is x^2 m and its second moment x^2 m^2. Measured against brute force in
docs/decisions/0303-p-values-fine-enough-for-their-family.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from routeaudit.inference.units import FloatArray

_ITERATIONS = 40
_CONVERGED = 1e-9
_COLUMNS_AT_ONCE = 1024
_SHRINK = 0.9
_SHRINKS = 40


def studentized_tail(residuals: FloatArray, t: FloatArray) -> FloatArray:
    """Two-sided P(|t*| >= |t|) of each column of ``residuals`` (G, q), each with mean 0; ``t`` is (q,).

    Where the expansion does not exist (the law ends, or nearly, at ``t``) the probability of a smaller
    deviation is returned, which is an upper bound; never 0 and never above 1.
    """
    out = np.empty(t.size)
    for start in range(0, t.size, _COLUMNS_AT_ONCE):
        part = slice(start, start + _COLUMNS_AT_ONCE)
        scale = np.sqrt(np.mean(residuals[:, part] ** 2, axis=0))
        scaled, size = residuals[:, part] / scale, np.abs(t[part])
        out[part] = _upper_tail(scaled, size) + _upper_tail(-scaled, size)
    return np.minimum(out, 1.0)


def _upper_tail(residuals: FloatArray, t: FloatArray) -> FloatArray:
    """P(t* >= t) for residuals of unit variance; the deviation shrinks until the expansion exists."""
    out = np.full(t.size, 1.0)
    left, reached = np.arange(t.size), t.copy()
    with np.errstate(all="ignore"):
        for _ in range(_SHRINKS):
            found = _expansion(residuals[:, left], reached[left])
            good = np.isfinite(found) & (found > 0) & (found < 1)
            out[left[good]] = found[good]
            left = left[~good]
            if not left.size:
                break
            reached[left] *= _SHRINK
    return out


@dataclass(frozen=True, eq=False)
class _Tilted:
    """Moments of the tilted law: log normaliser, mean, second moment and the covariances of (e, e^2, h).

    h = (e - m)^2. ``v11``, ``v12``, ``v22`` are the variances and covariance of e and e^2, ``c1`` and ``c2``
    their covariances with h.
    """

    log_mass: FloatArray
    m1: FloatArray
    m2: FloatArray
    v11: FloatArray
    v12: FloatArray
    v22: FloatArray
    c1: FloatArray
    c2: FloatArray


def _tilt(e: FloatArray, m: FloatArray, lam: FloatArray) -> _Tilted:
    h = (e - m) ** 2
    least = h.min(axis=0)
    weight = np.exp(-lam * (h - least))
    mass = weight.sum(axis=0)
    weight /= mass
    square, first = e * e, weight * e
    second = weight * square
    m1, m2 = first.sum(axis=0), second.sum(axis=0)
    mean_h = np.einsum("gq,gq->q", weight, h)
    return _Tilted(
        log_mass=np.log(mass / e.shape[0]) - lam * least,
        m1=m1,
        m2=m2,
        v11=m2 - m1**2,
        v12=np.einsum("gq,gq->q", first, square) - m1 * m2,
        v22=np.einsum("gq,gq->q", second, square) - m2**2,
        c1=np.einsum("gq,gq->q", first, h) - m1 * mean_h,
        c2=np.einsum("gq,gq->q", second, h) - m2 * mean_h,
    )


def _solve(e: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray, _Tilted, FloatArray]:
    """(m, lam) by damped Newton steps on their logarithms, and how far the two equations are from met."""
    log_m, log_lam = -np.log(x), np.log(x * x / 2 / (1 - x * x))
    for step in range(_ITERATIONS):
        m, lam = np.exp(log_m), np.exp(log_lam)
        tilted = _tilt(e, m, lam)
        gap = tilted.m1 - x**2 * m, tilted.m2 - (x * m) ** 2
        missed = np.abs(gap[0]) + np.abs(gap[1])
        if step == _ITERATIONS - 1 or np.nan_to_num(missed).max() <= _CONVERGED / 1000:
            break
        by_lam = -tilted.c1 * lam, -tilted.c2 * lam
        by_m = (2 * lam * tilted.v11 - x**2) * m, (2 * lam * tilted.v12 - 2 * x**2 * m) * m
        determinant = by_lam[0] * by_m[1] - by_m[0] * by_lam[1]
        move_lam = (by_m[0] * gap[1] - gap[0] * by_m[1]) / determinant
        move_m = (by_lam[1] * gap[0] - by_lam[0] * gap[1]) / determinant
        damping = np.minimum(1.0, 1 / np.maximum(np.abs(move_lam), np.abs(move_m)))
        log_lam, log_m = log_lam + damping * move_lam, log_m + damping * move_m
    return m, lam, tilted, missed


def _expansion(e: FloatArray, t: FloatArray) -> FloatArray:
    """The saddlepoint tail at ``t`` (q,); NaN where the equations have no solution or the law no density."""
    count = e.shape[0]
    x = t / np.sqrt(count - 1 + t * t)
    m, lam, tilted, missed = _solve(e, x)
    root, slope = x * m, 2 * lam * m
    deviance = slope * x * root - lam * root**2 - (tilted.log_mass + lam * m**2)
    determinant = tilted.v11 * tilted.v22 - tilted.v12**2
    along, bend = x / (2 * root), -slope * x / (4 * root**3)
    curvature = (along**2 * tilted.v22 - 2 * along * tilted.v12 + tilted.v11) / determinant + bend
    density = root / np.sqrt(determinant * curvature)
    distance = np.sqrt(2 * deviance)
    correction = density / (slope * root) - 1 / distance
    tail = special.ndtr(-np.sqrt(count) * distance)
    tail = tail + np.exp(-count * deviance) / np.sqrt(2 * np.pi * count) * correction
    result: FloatArray = np.where(missed < _CONVERGED, tail, np.nan)
    return result
