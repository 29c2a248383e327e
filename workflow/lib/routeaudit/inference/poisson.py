"""Exact Poisson counts from half a random byte or one each, for weights that are drawn by the billion.

The law is a mixture, Poisson(rate) = (1 - e) D + e R. D gives count k a whole number of equal shares (16ths
or 256ths), chosen by D'Hondt's apportionment, which makes e smallest; R is what is left. Close to rate 1 the
shares are 6, 6, 3 and 1 of 16, because 1 : 1 : 1/2 : 1/6 = 6 : 6 : 3 : 1, and e = .019. Every cell first gets
a count from D by comparing bytes; then Poisson(-N log(1 - e)) uniform hits over the N cells reach each cell
independently with probability e, and a cell that was hit gets a count from R instead. R is coded in bytes as
well: the bytes left over escape to the next depth, until what is left is below 2**-64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from routeaudit.inference.units import FloatArray, IntArray

Bytes = npt.NDArray[np.uint8]
_LARGEST = 64
_DEPTH = 8
_RARE = 0.05
"""Half a byte per cell is cheaper than a whole one while fewer cells than this are redrawn."""


@dataclass(frozen=True, eq=False)
class PoissonCode:
    """A byte b means the number of ``bounds`` <= b; with ``halves`` its upper four bits alone decide.

    ``hits`` is the expected number of hits of a cell, -log(1 - e). ``rest`` codes R: per depth the count of
    each of the 256 bytes, and the first byte that escapes.
    """

    bounds: tuple[int, ...]
    halves: bool
    hits: float
    rest: tuple[tuple[Bytes, int], ...]

    @classmethod
    def of(cls, rate: float) -> PoissonCode:
        """Code of Poisson(``rate``), 1/2 <= rate <= 1."""
        counts = np.arange(_LARGEST)
        law: FloatArray = np.exp(special.xlogy(counts, rate) - rate - special.gammaln(counts + 1))
        shares, common = _apportion(law, 16)
        halves = common > 1 - _RARE
        if not halves:
            shares, common = _apportion(law, 256)
        taken = shares / shares.sum()
        bounds = np.cumsum(256 * taken).astype(np.int64)
        rest = np.maximum(law - common * taken, 0.0)
        used = int(np.flatnonzero(shares)[-1])
        return cls(tuple(map(int, bounds[:used])), halves, -math.log(common), _byte_tables(rest / rest.sum()))

    def fill(self, rng: np.random.Generator, counts: Bytes, flags: npt.NDArray[np.bool_]) -> None:
        """Fill flat ``counts``, of even size, with independent counts; ``flags`` is scratch alike."""
        part = counts.size // 2 if self.halves else counts.size
        codes = _random_bytes(rng, part)
        self._decode(codes, counts[:part], flags[:part])
        if self.halves:
            np.multiply(codes, 16, out=codes)
            self._decode(codes, counts[part:], flags[part:])
        hits = int(rng.poisson(counts.size * self.hits))
        counts[rng.integers(0, counts.size, hits)] = self._rest(rng, hits, 0)

    def _decode(self, codes: Bytes, counts: Bytes, flags: npt.NDArray[np.bool_]) -> None:
        np.greater_equal(codes, self.bounds[0], out=counts.view(np.bool_))
        for bound in self.bounds[1:]:
            np.greater_equal(codes, bound, out=flags)
            np.add(counts, flags.view(np.uint8), out=counts)

    def _rest(self, rng: np.random.Generator, size: int, depth: int) -> Bytes:
        decoded, escape = self.rest[depth]
        codes = _random_bytes(rng, size)
        counts = decoded.take(codes)
        escaped = np.flatnonzero(codes >= escape)
        if escaped.size and depth + 1 < len(self.rest):
            counts[escaped] = self._rest(rng, escaped.size, depth + 1)
        return counts


def _apportion(law: FloatArray, seats: int) -> tuple[IntArray, float]:
    """Seats of each count, sum ``seats``, and 1 - e = the largest c with c * seats_k / seats <= law_k.

    D'Hondt: the ``seats`` highest quotients law_k / 1, law_k / 2, ... win; the lowest winner is c / seats.
    """
    quotients = (law[:, None] / np.arange(1, seats + 1)).ravel()
    won = np.argsort(-quotients, kind="stable")[:seats]
    shares: IntArray = np.bincount(won // seats, minlength=law.size)
    return shares, float(seats * quotients[won[-1]])


def _byte_tables(law: FloatArray) -> tuple[tuple[Bytes, int], ...]:
    """Counts of the 256 bytes and the first escaping byte, depth by depth; the last depth decides all."""
    tables = []
    for _ in range(_DEPTH):
        ends = np.cumsum(np.floor(256 * law))
        decoded = np.searchsorted(ends, np.arange(256), side="right")
        tables.append((np.minimum(decoded, law.size - 1).astype(np.uint8), int(ends[-1])))
        law = law - np.floor(256 * law) / 256
        law = law / law.sum()
    return tuple(tables)


def _random_bytes(rng: np.random.Generator, size: int) -> Bytes:
    """Independent uniform bytes; in little-endian order on every machine."""
    words: npt.NDArray[np.uint64] = rng.bit_generator.random_raw(-(-size // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[:size]
