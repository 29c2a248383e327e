"""Exact Poisson counts from one random byte each, for weights that are drawn by the billion.

256 * p_k is rounded down to whole bytes. The few byte values left over escape: their counts follow the
residual law (p_k - whole_k / 256), which is coded in bytes again, and so on until what is left is below
2**-64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from routeaudit.inference.units import FloatArray, IntArray

Bytes = npt.NDArray[np.uint8]
_LARGEST = 64
_DEPTH = 8


@dataclass(frozen=True, eq=False)
class PoissonBytes:
    """``levels[d][k]`` is the first byte at depth d that means a count above k; the last and above escape.

    ``decoded[d]`` is the count of each of the 256 bytes at depth d.
    """

    levels: tuple[tuple[int, ...], ...]
    decoded: tuple[Bytes, ...]

    @classmethod
    def of(cls, rate: float) -> PoissonBytes:
        """Code of Poisson(``rate``), 0 < rate <= 1."""
        counts = np.arange(_LARGEST)
        law: FloatArray = np.exp(special.xlogy(counts, rate) - rate - special.gammaln(counts + 1))
        levels = []
        for _ in range(_DEPTH):
            whole = np.floor(256 * law)
            used = int(np.flatnonzero(whole)[-1]) + 1
            levels.append(tuple(int(bound) for bound in np.cumsum(whole)[:used]))
            law = law - whole / 256
            law = law / law.sum()
        codes = np.arange(256)
        decoded = tuple(np.searchsorted(bounds, codes, side="right").astype(np.uint8) for bounds in levels)
        return cls(tuple(levels), decoded)

    def fill(self, rng: np.random.Generator, counts: Bytes, flags: npt.NDArray[np.bool_]) -> None:
        """Fill flat ``counts``, a multiple of 8 long, with independent counts; ``flags`` is scratch alike."""
        bounds = self.levels[0]
        codes = _random_bytes(rng, counts.size)
        np.greater_equal(codes, bounds[0], out=counts.view(np.bool_))
        for bound in bounds[1:-1]:
            np.greater_equal(codes, bound, out=flags)
            np.add(counts, flags.view(np.uint8), out=counts)
        np.greater_equal(codes, bounds[-1], out=flags)
        escaped = _positions(flags)
        counts[escaped] = self._residual(rng, escaped.size, 1)

    def _residual(self, rng: np.random.Generator, size: int, depth: int) -> Bytes:
        codes = _random_bytes(rng, size)
        counts = self.decoded[depth][codes]
        escaped = np.flatnonzero(codes >= self.levels[depth][-1])
        if escaped.size and depth + 1 < len(self.levels):
            counts[escaped] = self._residual(rng, escaped.size, depth + 1)
        return counts


def _random_bytes(rng: np.random.Generator, size: int) -> Bytes:
    """Independent uniform bytes; in little-endian order on every machine."""
    words: npt.NDArray[np.uint64] = rng.bit_generator.random_raw(-(-size // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[:size]


def _positions(flags: npt.NDArray[np.bool_]) -> IntArray:
    """Indices of the few set flags, looked for eight at a time."""
    words = np.flatnonzero(flags.view(np.uint64) != 0)
    found = np.flatnonzero(flags.reshape(-1, 8)[words].ravel())
    positions: IntArray = words[found >> 3] * 8 + (found & 7)
    return positions
