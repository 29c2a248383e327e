"""The resampling weights are exactly multinomial and belong to the replicate, not to the run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from routeaudit.inference import weights
from routeaudit.inference.streams import Stream, digest_arrays
from routeaudit.inference.weights import resampled_sums

STREAM = Stream(0, "digest")


@pytest.mark.parametrize("units", [2, 14, 30, 500, 5000, 40_000])
def test_every_resample_draws_exactly_as_many_units_as_there_are(units):
    third = (np.arange(units) % 3 == 0).astype(float)
    sums = resampled_sums(third[:, None], 300, STREAM)
    assert np.abs(sums - np.rint(sums)).max() < 1e-2, "columns are centred: a wrong total shifts a sum by 1/3"
    assert sums.std() > 0


@pytest.mark.parametrize("units", [3, 40, 200])
def test_counts_follow_the_multinomial_law(units):
    counts = np.rint(resampled_sums(np.eye(units), 20_000, STREAM)).astype(int)
    assert np.all(counts.sum(axis=1) == units)
    expected = stats.binom.pmf(np.arange(6), units, 1 / units)
    expected = np.append(expected, 1 - expected.sum()) * counts.size
    seen = np.bincount(np.minimum(counts.ravel(), 6), minlength=7)
    kept = expected > 5
    assert stats.chisquare(seen[kept], expected[kept] * seen[kept].sum() / expected[kept].sum()).pvalue > 1e-4
    covariance = np.cov(counts[:, 0], counts[:, 1])[0, 1]
    assert covariance == pytest.approx(-1 / units, abs=4 / np.sqrt(20_000))


def test_sums_over_many_units_have_the_bootstrap_mean_variance_and_covariance():
    columns = np.random.default_rng(0).random((40_000, 2))
    sums = resampled_sums(columns, 8000, STREAM)
    expected = 40_000 * np.cov(columns.T, ddof=0)
    assert np.all(np.abs(sums.mean(axis=0) - columns.sum(axis=0)) < 4 * np.sqrt(expected.diagonal() / 8000))
    assert np.cov(sums.T) == pytest.approx(expected, abs=4 * expected.max() * np.sqrt(2 / 8000))


def test_replicates_whose_poisson_total_is_too_large_are_redrawn_without_bias(monkeypatch):
    monkeypatch.setattr(weights, "_slack", lambda units: 0.0)
    counts = np.rint(resampled_sums(np.eye(60), 20_000, STREAM)).astype(int)
    assert np.all(counts.sum(axis=1) == 60)
    assert counts.var(axis=0).mean() == pytest.approx(1 - 1 / 60, rel=0.02)


@pytest.mark.concurrent
def test_results_depend_neither_on_threads_nor_on_the_number_of_replicates():
    columns = np.random.default_rng(0).random((3000, 3))
    whole = resampled_sums(columns, 700, STREAM)
    assert np.array_equal(whole, resampled_sums(columns, 700, STREAM, threads=3))
    assert np.array_equal(whole[:150], resampled_sums(columns, 150, STREAM))


def test_every_column_sees_the_same_resamples():
    column = np.random.default_rng(0).random(400)
    pair = resampled_sums(np.column_stack([column, 1 - column]), 200, STREAM)
    assert np.allclose(pair.sum(axis=1), 400)
    assert np.allclose(pair[:, 0], resampled_sums(column[:, None], 200, STREAM)[:, 0])


def test_seed_digest_and_purpose_each_change_the_stream():
    columns = np.random.default_rng(0).random((50, 1))
    streams = [STREAM, Stream(1, "digest"), Stream(0, "other"), STREAM.named("other")]
    found = {resampled_sums(columns, 5, stream).tobytes() for stream in streams}
    assert len(found) == 4


def test_single_precision_tiles_stay_within_a_millionth_of_a_standard_error(monkeypatch):
    columns = np.random.default_rng(0).random((6000, 2))
    exact = resampled_sums(columns, 100, STREAM)
    monkeypatch.setattr(weights, "SINGLE_PRECISION_FROM", 1)
    narrow = resampled_sums(columns, 100, STREAM)
    assert not np.array_equal(exact, narrow)
    assert np.abs(exact - narrow).max() < 1e-5 * columns.std() * np.sqrt(6000)


def test_digest_tells_shape_and_dtype_apart():
    flat = np.arange(4.0)
    assert (
        len({digest_arrays(flat), digest_arrays(flat.reshape(2, 2)), digest_arrays(flat.astype("f4"))}) == 3
    )
