"""Multinomial resampling weights without materialising them: B replicates of weighted sums of G units.

Exact construction. Independent Poisson(rate) counts are multinomial given their total N, whatever the law of
N. With a rate a little below 1 the total seldom exceeds G, and the G - N draws still missing are uniform. A
replicate whose total exceeds G is redrawn directly.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
from scipy import sparse
from threadpoolctl import threadpool_limits

from routeaudit.inference.poisson import PoissonCode
from routeaudit.inference.streams import Stream
from routeaudit.inference.units import FloatArray

BLOCK = 400
TILE = 512
SINGLE_PRECISION_FROM = 1 << 15


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
    k = columns.shape[1]
    # Matrix products run fastest on a multiple of 8 columns; the spare ones are 1, and the last counts draws.
    centred = np.ones((units, 8 * (k // 8 + 1)), dtype=narrow)
    np.subtract(columns, centre, out=centred[:, :k], casting="same_kind")
    code = PoissonCode.of(1 - _slack(units) / math.sqrt(units))

    def block_of(block: int) -> FloatArray:
        return _block_sums(centred, code, stream.generator(block))

    blocks = range(-(-resamples // BLOCK))
    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(block_of, blocks)) if threads > 1 else [block_of(block) for block in blocks]
    sums: FloatArray = np.concatenate(parts)[:resamples, :k] + units * centre
    return sums


def _slack(units: int) -> float:
    """Standard deviations that the expected total stays below G.

    It minimises the uniform draws of a replicate, s sqrt(G) + G (1 - Phi(s)): phi(s) = 1 / sqrt(G).
    """
    return math.sqrt(max(0.0, math.log(units / (2 * math.pi))))


def _block_sums(centred: npt.NDArray[np.floating], code: PoissonCode, rng: np.random.Generator) -> FloatArray:
    """Sums of one block of replicates; the last column of ``centred`` is 1: its sum counts the draws."""
    units = centred.shape[0]
    sums = _poisson_sums(centred, code, rng)
    sums[sums[:, -1] > units] = 0.0
    missing = units - np.rint(sums[:, -1]).astype(np.int64)
    return sums + _uniform_draws(centred, missing, rng)


def _poisson_sums(
    centred: npt.NDArray[np.floating], code: PoissonCode, rng: np.random.Generator
) -> FloatArray:
    """Poisson-weighted sums (BLOCK, k), tile by tile, in scratch that stays in the cache."""
    counts, flags = np.empty(BLOCK * TILE, dtype=np.uint8), np.empty(BLOCK * TILE, dtype=np.bool_)
    weights = np.empty(BLOCK * TILE, dtype=centred.dtype)
    product = np.empty((centred.shape[1], BLOCK), dtype=centred.dtype)
    sums = np.zeros(product.shape)
    for start in range(0, centred.shape[0], TILE):
        tile = centred[start : start + TILE]
        size = BLOCK * tile.shape[0]
        code.fill(rng, counts[:size], flags[:size])
        weights[:size] = counts[:size]
        np.matmul(tile.T, weights[:size].reshape(-1, BLOCK), out=product)
        sums += product
    return np.ascontiguousarray(sums.T)


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
