"""The byte code of Poisson counts: its probabilities are the law's, in half a byte as in a whole one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from routeaudit.inference.poisson import PoissonCode

RATES = [0.75, 0.9, 0.97, 0.9965, 1.0]


def coded_law(code: PoissonCode) -> np.ndarray:
    """Probability of each count, added up over the bytes that mean it."""
    usual = np.searchsorted(code.bounds, np.arange(256) & (0xF0 if code.halves else 0xFF), side="right")
    missed = np.exp(-code.hits)
    law = missed * np.bincount(usual, minlength=64) / 256
    reached = 1 - missed
    for depth, (decoded, escape) in enumerate(code.rest):
        kept = 256 if depth + 1 == len(code.rest) else escape
        law += reached * np.bincount(decoded[:kept], minlength=64) / 256
        reached *= 1 - kept / 256
    return law


@pytest.mark.parametrize("rate", RATES)
def test_the_coded_probabilities_are_the_poisson_probabilities(rate):
    expected = stats.poisson.pmf(np.arange(64), rate)
    assert coded_law(PoissonCode.of(rate)) == pytest.approx(expected, rel=0, abs=1e-14)


def test_sixteenths_serve_rates_near_one_and_bytes_the_others():
    assert PoissonCode.of(1.0).bounds == (96, 192, 240)
    assert [PoissonCode.of(rate).halves for rate in RATES] == [False, False, False, True, True]


@pytest.mark.parametrize("rate", RATES)
def test_drawn_counts_are_independent_with_the_poisson_mean_and_variance(rate):
    size = 1 << 21
    counts = np.empty(size, dtype=np.uint8)
    PoissonCode.of(rate).fill(np.random.default_rng(1), counts, np.empty(size, dtype=np.bool_))
    drawn = counts.astype(float)
    spread = np.sqrt(rate / size)
    assert drawn.mean() == pytest.approx(rate, abs=4 * spread)
    assert drawn.var() == pytest.approx(rate, abs=4 * spread * np.sqrt(1 + 2 * rate))
    for lag in (1, size // 2):
        centred = drawn - rate
        assert abs(np.mean(centred[lag:] * centred[:-lag])) < 4 * rate / np.sqrt(size - lag)
    expected = size * stats.poisson.pmf(np.arange(12), rate)
    kept = expected > 5
    seen = np.bincount(counts, minlength=12)[:12]
    assert stats.chisquare(seen[kept], expected[kept] * seen[kept].sum() / expected[kept].sum()).pvalue > 1e-4
