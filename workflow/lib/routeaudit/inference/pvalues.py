"""Two-sided p-values of H0: mean = 0 (statistics.md A7).

Comparisons carry a tolerance of 1e-12 and count ties against rejection. Monte Carlo p-values add one to
numerator and denominator (Phipson and Smyth 2010).
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy import special

from routeaudit.inference.lattice import lattice_steps, sign_flip_law
from routeaudit.inference.results import PValue
from routeaudit.inference.streams import Stream
from routeaudit.inference.units import FloatArray

_TOLERANCE = 1e-12
ENUMERATION_LIMIT = 20
_SIGN_FLIP_DRAWS = 50_000_000
_SIGN_BLOCK = 512


def exceedances(t_replicates: FloatArray, t: float) -> int:
    """Sorted studentized replicates at least as extreme as the observed t."""
    size = abs(t) - _TOLERANCE
    below = int(np.searchsorted(t_replicates, -size, side="right"))
    return min(below + t_replicates.size - int(np.searchsorted(t_replicates, size)), t_replicates.size)


def studentized_p(t_replicates: FloatArray, t: float) -> float:
    """Share of sorted studentized replicates at least as extreme as the observed t."""
    return (1 + exceedances(t_replicates, t)) / (t_replicates.size + 1)


def student_t_p(t: float, degrees: int) -> float:
    """Two-sided p of a t statistic."""
    return float(2 * special.stdtr(degrees, -abs(t)))


def sign_flips(values: FloatArray, resamples: int, stream: Stream) -> tuple[PValue, ...]:
    """Sign-flip randomization p of each column of unit sums ``values`` (G, q); columns share their signs.

    Exact under the sharp null only (labels of the two policies exchangeable within a unit). Lattice sums:
    exact by convolution; up to 20 non-zero sums: enumeration; else Monte Carlo, or a normal law where that
    would draw more than 5e7 signs.
    """
    closed = [_closed_sign_flip(column, resamples) for column in values.T]
    left = [j for j, found in enumerate(closed) if found is None]
    drawn = dict(zip(left, _drawn_sign_flips(values[:, left], resamples, stream), strict=True))
    return tuple(found or drawn[j] for j, found in enumerate(closed))


def _closed_sign_flip(column: FloatArray, resamples: int) -> PValue | None:
    moving = column[np.abs(column) > _TOLERANCE]
    total = abs(float(moving.sum()))
    if moving.size == 0:
        return PValue(p=1.0, method="sign_flip", engine="exact")
    steps = lattice_steps(moving)
    if steps is not None:
        law = sign_flip_law(np.rint(moving * steps).astype(np.int64))
        extreme = 2 * law.probability_at_most(-round(total * steps))
        return PValue(p=min(1.0, extreme), method="sign_flip", engine="exact")
    if moving.size <= ENUMERATION_LIMIT:
        return PValue(p=_enumerated(moving, total), method="sign_flip", engine="exact")
    if column.size * resamples > _SIGN_FLIP_DRAWS:
        z = total / float(np.sqrt((moving**2).sum()))
        return PValue(p=float(2 * special.ndtr(-z)), method="sign_flip", engine="analytic")
    return None


def _drawn_sign_flips(values: FloatArray, resamples: int, stream: Stream) -> tuple[PValue, ...]:
    if values.shape[1] == 0:
        return ()
    rng = stream.named("sign_flip").generator(0)
    count = values.shape[0]
    totals, slack = np.abs(values.sum(axis=0)), _TOLERANCE * count
    extreme = np.zeros(values.shape[1], dtype=np.int64)
    for start in range(0, resamples, _SIGN_BLOCK):
        rows = min(_SIGN_BLOCK, resamples - start)
        packed = rng.integers(0, 256, size=(rows, -(-count // 8)), dtype=np.uint8)
        heads = np.unpackbits(packed, axis=1, count=count).astype(np.float64)
        sums = 2 * (heads @ values) - values.sum(axis=0)
        extreme += (np.abs(sums) >= totals - slack).sum(axis=0)
    return tuple(
        PValue(
            p=(1 + int(n)) / (resamples + 1),
            method="sign_flip",
            engine="mc",
            seed=stream.seed,
            resamples=resamples,
        )
        for n in extreme
    )


def _enumerated(moving: FloatArray, total: float) -> float:
    """All 2^n signs, split in two halves whose sums are combined."""
    half = moving.size // 2
    left, right = (
        np.array([float(np.dot(signs, part)) for signs in itertools.product((-1.0, 1.0), repeat=part.size)])
        for part in (moving[:half], moving[half:])
    )
    sums = np.abs(left[:, None] + right[None, :])
    return float((sums >= total - _TOLERANCE * moving.size).mean())
