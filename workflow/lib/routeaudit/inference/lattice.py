"""Exact engine: the B = infinity bootstrap of a mean whose task values lie on a lattice k/q.

The resampled total is a sum of T independent draws from the empirical law, so its law is the T-fold
convolution, one power of a characteristic function on a window of +-12 standard deviations. No seed, no Monte
Carlo error. Binary outcomes are q = 1: differences in {-1, 0, 1} give the trinomial of statistics.md A5(a).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from routeaudit.inference.units import FloatArray, IntArray

MAX_STEPS = 1024
_TOLERANCE = 1e-9
_WINDOW_SD = 12.0


def lattice_steps(values: FloatArray) -> int | None:
    """Smallest q <= 1024 with every value * q an integer (to 1e-9), or None."""
    candidates = np.arange(1, MAX_STEPS + 1)
    if np.array_equal(values, np.rint(values)):
        return 1
    for probe in (4, 64):
        candidates = candidates[_on_lattice(values[:probe], candidates)]
    if not candidates.size:
        return None
    distinct = np.unique(values)
    if distinct.size > 2 * MAX_STEPS + 1:
        return None
    for start in range(0, distinct.size, 16):
        candidates = candidates[_on_lattice(distinct[start : start + 16], candidates)]
    return int(candidates[0]) if candidates.size else None


def _on_lattice(values: FloatArray, steps: IntArray) -> npt.NDArray[np.bool_]:
    scaled = values * steps[:, None]
    near: npt.NDArray[np.bool_] = np.all(
        np.abs(scaled - np.rint(scaled)) < _TOLERANCE * steps[:, None], axis=1
    )
    return near


@dataclass(frozen=True, eq=False)
class LatticeLaw:
    """Law of an integer total: ``cdf[i]`` = P(total <= start + i)."""

    start: int
    cdf: FloatArray

    def quantile(self, level: float) -> int:
        """Smallest v with P(total <= v) >= level (1e-12 slack against rounding of the transform)."""
        return self.start + int(np.searchsorted(self.cdf, level - 1e-12))

    def probability_at_most(self, value: int) -> float:
        """P(total <= value)."""
        index = value - self.start
        if index < 0:
            return 0.0
        return float(self.cdf[min(index, self.cdf.size - 1)])


def _law_from_characteristic(modulus: FloatArray, phase: FloatArray, start: int) -> LatticeLaw:
    """Invert exp(modulus + i phase), the transform of a law on ``start`` and the points above it."""
    transform = np.exp(modulus) * np.exp(1j * phase)
    pmf = np.clip(np.fft.irfft(transform, n=2 * (transform.size - 1)), 0.0, None)
    return LatticeLaw(start, np.cumsum(pmf) / pmf.sum())


def _window(mean: float, sd: float, low: int, high: int) -> tuple[int, int]:
    """First lattice point and power-of-two length of a window that holds the law."""
    start = max(low, math.floor(mean - _WINDOW_SD * sd) - 1)
    stop = min(high, math.ceil(mean + _WINDOW_SD * sd) + 1)
    return start, max(4, 1 << (stop - start).bit_length())


def bootstrap_law(values: IntArray, draws: int | None = None) -> LatticeLaw:
    """Law of the total of ``draws`` (default: as many as there are) values drawn with replacement.

    ``values`` are lattice integers (value * q). The window is a power of two, so the transform has no
    wrap-around beyond 12 standard deviations (probability below 1e-30).
    """
    draws = values.size if draws is None else draws
    low, high = int(values.min()), int(values.max())
    pmf = np.bincount(values - low, minlength=high - low + 1) / values.size
    mean, sd = draws * float(values.mean()), math.sqrt(draws) * float(values.std())
    start, length = _window(mean, sd, draws * low, draws * high)
    angles = -2 * np.pi * np.arange(length // 2 + 1) / length
    characteristic = np.exp(1j * np.outer(angles, np.arange(high - low + 1))) @ pmf
    with np.errstate(divide="ignore"):
        modulus = draws * np.log(np.abs(characteristic))
    phase = draws * np.angle(characteristic) + angles * float(draws * low - start)
    return _law_from_characteristic(modulus, phase, start)


def sign_flip_law(values: IntArray) -> LatticeLaw:
    """Law of sum eps_t * values_t over independent fair signs (statistics.md A7, p_sign)."""
    sizes, counts = np.unique(np.abs(values[values != 0]), return_counts=True)
    total = int((sizes * counts).sum())
    sd = math.sqrt(float((sizes.astype(np.float64) ** 2 * counts).sum()))
    start, length = _window(0.0, sd, -total, total)
    angles = -2 * np.pi * np.arange(length // 2 + 1) / length
    cosines = np.cos(np.outer(angles, sizes))
    with np.errstate(divide="ignore"):
        modulus: FloatArray = np.log(np.abs(cosines)) @ counts.astype(np.float64)
    negative = (cosines < 0).astype(np.float64)
    phase = np.pi * (negative @ counts) + angles * float(-start)
    return _law_from_characteristic(modulus, phase, start)


def ideal_percentile(n_tasks: int, wins: int, losses: int, level: float = 0.95) -> tuple[int, int]:
    """End points, in counts, of the B = infinity percentile interval of a paired binary difference."""
    values = np.zeros(n_tasks, dtype=np.int64)
    values[:wins], values[wins : wins + losses] = 1, -1
    law = bootstrap_law(values)
    return law.quantile((1 - level) / 2), law.quantile((1 + level) / 2)
