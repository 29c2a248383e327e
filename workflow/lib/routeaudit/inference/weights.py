"""Multinomial resampling weights without materialising them: B replicates of weighted sums of G units.

Exact construction. Independent Poisson(rate) counts are multinomial given their total N, whatever the law of
N. With rate = 1 - 4/sqrt(G) the total almost never exceeds G, and the G - N draws still missing are uniform.
A replicate whose total exceeds G is redrawn directly. Poisson counts come from one random byte each: 256 *
p_k is rounded down and the few remaining byte values escape to the exact residual law.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from routeaudit.inference.streams import Stream
from routeaudit.inference.units import FloatArray

BLOCK = 128
TILE = 2048
SINGLE_PRECISION_FROM = 1 << 15
_SLACK = 4.0


@dataclass(frozen=True, eq=False)
class _PoissonBytes:
    """Byte code of Poisson(rate): ``thresholds[k]`` is the first byte that means more than k."""

    thresholds: tuple[int, ...]
    residual: FloatArray

    @classmethod
    def of(cls, rate: float) -> _PoissonBytes:
        pmf = stats.poisson.pmf(np.arange(64), rate)
        whole = np.floor(256 * pmf)
        rest = np.cumsum(pmf - whole / 256)
        used = int(np.flatnonzero(whole)[-1]) + 1
        thresholds = tuple(int(bound) for bound in np.cumsum(whole)[:used])
        return cls(thresholds, rest / rest[-1])

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
        """Counts of the given shape."""
        size = shape[0] * shape[1]
        words = rng.integers(0, 2**64, size=-(-size // 8), dtype=np.uint64)
        codes = words.view(np.uint8)[:size]
        counts = (codes >= self.thresholds[0]).view(np.uint8)
        for bound in self.thresholds[1:-1]:
            counts += codes >= bound
        escaped = np.flatnonzero(codes >= self.thresholds[-1])
        counts[escaped] = np.searchsorted(self.residual, rng.random(escaped.size), side="right")
        return counts.reshape(shape)


def resampled_sums(columns: FloatArray, resamples: int, stream: Stream, threads: int = 1) -> FloatArray:
    """Weighted sums of ``columns`` (G, k) under ``resamples`` multinomial weight vectors, shape (resamples,
    k).

    The weights depend on (stream, G) alone, so every column sees the same resamples, and the first B
    replicates are the same whatever ``resamples`` and ``threads`` are. From G = 2**15 tile products are in
    single precision (columns are centred first, the weights are integers, tiles are added in double
    precision).
    """
    units = columns.shape[0]
    centre = columns.mean(axis=0)
    narrow = np.float32 if units >= SINGLE_PRECISION_FROM else np.float64
    centred = (columns - centre).astype(narrow)
    rate = 1 - _SLACK / np.sqrt(units)
    code = _PoissonBytes.of(rate) if rate > 0 else None

    def block_of(block: int) -> FloatArray:
        return _block_sums(centred, code, stream.generator(block))

    blocks = range(-(-resamples // BLOCK))
    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(block_of, blocks)) if threads > 1 else [block_of(block) for block in blocks]
    sums: FloatArray = np.concatenate(parts)[:resamples] + units * centre
    return sums


def _block_sums(
    centred: npt.NDArray[np.floating], code: _PoissonBytes | None, rng: np.random.Generator
) -> FloatArray:
    units, k = centred.shape
    sums = np.zeros((BLOCK, k))
    drawn = np.zeros(BLOCK, dtype=np.int64)
    if code is not None:
        for start in range(0, units, TILE):
            tile = centred[start : start + TILE]
            counts = code.draw(rng, (BLOCK, tile.shape[0]))
            drawn += counts.sum(axis=1, dtype=np.int64)
            sums += counts.astype(centred.dtype) @ tile
    redraw = drawn > units
    sums[redraw], drawn[redraw] = 0.0, 0
    return sums + _uniform_draws(centred, units - drawn, rng)


def _uniform_draws(
    centred: npt.NDArray[np.floating], draws: npt.NDArray[np.int64], rng: np.random.Generator
) -> FloatArray:
    """Sums over ``draws[b]`` units drawn uniformly with replacement for replicate b."""
    ends = np.concatenate([[0], np.cumsum(draws)])
    picked = rng.integers(0, centred.shape[0], size=int(ends[-1]), dtype=np.int64)
    ones = np.ones(picked.size, dtype=centred.dtype)
    weights = sparse.csr_array((ones, picked, ends), shape=(draws.size, centred.shape[0]))
    result: FloatArray = np.asarray(weights @ centred, dtype=np.float64)
    return result
