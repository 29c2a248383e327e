"""Monte Carlo engine: resampled means and studentized statistics of every column from one weight matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.inference.streams import Stream
from routeaudit.inference.units import FloatArray, Units
from routeaudit.inference.weights import resampled_sums

_ZERO = 1e-12


@dataclass(frozen=True, eq=False)
class Replicates:
    """``means`` is (B, q); ``t`` is (B, q) studentized by the CR1 error of each resample, or None.

    A resample without spread has t = +-inf (0 at the mean): order statistics stay valid (statistics.md A5).
    """

    means: FloatArray
    t: FloatArray | None

    @property
    def t_replicates(self) -> FloatArray:
        """``t`` of a studentized bootstrap."""
        if self.t is None:
            raise ValueError("the bootstrap was not studentized")
        return self.t


@dataclass(frozen=True, eq=False)
class _Sums:
    """Weighted sums of e, e^2, n, n^2 and e*n, where e_g are residual sums and n_g sizes of the units."""

    e: FloatArray
    ee: FloatArray
    n: FloatArray
    nn: FloatArray
    en: FloatArray


def bootstrap(
    units: Units, resamples: int, stream: Stream, studentize: bool = True, threads: int = 1
) -> Replicates:
    """Resample units with replacement; a resampled mean divides by its own number of tasks (A6)."""
    sums = _weighted_sums(units, resamples, stream, studentize, threads)
    shift = sums.e / sums.n
    means = units.means + shift
    if not studentize:
        return Replicates(means, None)
    squares = sums.ee - 2 * shift * sums.en + shift**2 * sums.nn
    return Replicates(means, _studentize(shift, squares, sums.n, units))


def _weighted_sums(units: Units, resamples: int, stream: Stream, studentize: bool, threads: int) -> _Sums:
    e, n = units.residuals, units.sizes[:, None]
    parts = [e, e**2] if studentize else [e]
    if units.clustered:
        parts += [n, n**2, e * n] if studentize else [n]
    sums = resampled_sums(np.concatenate(parts, axis=1), resamples, stream, threads)
    split = iter(np.split(sums, np.cumsum([part.shape[1] for part in parts])[:-1], axis=1))
    first = next(split)
    second = next(split) if studentize else first
    if not units.clustered:
        size = np.array([[float(units.n_tasks)]])
        return _Sums(first, second, size, size, first)
    size = next(split)
    return _Sums(first, second, size, next(split, size), next(split, first))


def _studentize(shift: FloatArray, squares: FloatArray, totals: FloatArray, units: Units) -> FloatArray:
    scale = np.einsum("gq,gq->q", units.residuals, units.residuals)
    squares = np.where(squares <= _ZERO * scale, 0.0, squares)
    errors = np.sqrt(units.count / (units.count - 1) * squares) / totals
    numerator = np.where(np.abs(shift) <= _ZERO * np.sqrt(scale), 0.0, shift)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = numerator / errors
    result: FloatArray = np.where((errors == 0) & (numerator == 0), 0.0, t)
    return result
