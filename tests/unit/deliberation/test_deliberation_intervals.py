"""Intervals of measures: shared resamples, the small-sample rule, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from routeaudit.deliberation.arrays import cluster_sum
from routeaudit.deliberation.calibration import auroc as auroc_module
from routeaudit.deliberation.calibration.auroc import auroc_measure
from routeaudit.deliberation.calibration.scores import score_table
from routeaudit.deliberation.intervals import Resampling, linearised_error
from routeaudit.deliberation.intervals import estimate_all as estimate_labelled
from routeaudit.deliberation.measures import difference_measure, mean_measure, ratio_measure
from routeaudit.inference.streams import Stream

HOW = Resampling(Stream(1, "test"), resamples=1999)


def estimate_all(measures):
    return estimate_labelled([(m, "all", "e") for m in measures], HOW)


def clustered(n: int = 2_000, problems: int = 100, seed: int = 0):
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, problems, n)
    value = rng.random(n) < 0.3 + 0.4 * rng.random(problems)[cluster]
    return value, cluster, problems


def test_percentile_interval_agrees_with_resampling_whole_problems_by_hand():
    value, cluster, g = clustered()
    rng = np.random.default_rng(9)
    rows = [np.flatnonzero(cluster == k) for k in range(g)]
    draws = [value[np.concatenate([rows[k] for k in rng.integers(0, g, g)])].mean() for _ in range(1_000)]
    (found,) = estimate_all([mean_measure("m", value, cluster, g, "rows")])
    spread = np.std(draws)
    assert found.interval.lower == pytest.approx(np.quantile(draws, 0.025), abs=0.3 * spread)
    assert found.interval.upper == pytest.approx(np.quantile(draws, 0.975), abs=0.3 * spread)
    assert found.interval.method == "cluster_percentile"


def test_every_measure_sees_the_same_resamples():
    value, cluster, g = clustered()
    one = mean_measure("one", value, cluster, g, "rows")
    top, bottom = one.sums.T
    mirrored = difference_measure("mirrored", bottom, top, bottom, "rows")
    together = estimate_all([one, mirrored])
    (alone,) = estimate_all([mirrored])
    assert together[1].interval == alone.interval
    assert together[0].interval.lower == pytest.approx(1 - together[1].interval.upper, abs=1e-12)


def test_few_problems_use_the_linearised_cr1_error_and_t():
    value, cluster, g = clustered(n=300, problems=12)
    measure = mean_measure("m", value, cluster, g, "rows")
    top, bottom = measure.sums.T
    residual = top - measure.estimate * bottom
    by_hand = np.sqrt(g / (g - 1) * (residual**2).sum()) / bottom.sum()
    assert linearised_error(measure) == pytest.approx(by_hand, rel=1e-6)
    (found,) = estimate_all([measure])
    assert found.interval.method == "CR1_t"
    assert found.interval.upper - found.estimate == pytest.approx(2.200985 * by_hand, rel=1e-5)


def test_a_measure_within_a_subset_is_the_measure_of_that_subset():
    value, cluster, g = clustered()
    keep = np.arange(g) < 50
    whole = mean_measure("m", value, cluster, g, "rows").within(keep)
    part = value[keep[cluster]]
    assert whole.estimate == pytest.approx(part.mean())
    assert (whole.numerator, whole.denominator) == (part.sum(), len(part))
    (found,) = estimate_all([whole])
    assert found.clusters == 50


@pytest.mark.parametrize(
    ("top", "bottom", "reason"),
    [([0.0, 0.0], [0.0, 0.0], "empty_denominator"), ([1.0], [2.0], "")],
)
def test_undefined_estimates_and_single_problems_give_reasons(top, bottom, reason):
    measure = ratio_measure("m", np.array(top), np.array(bottom), "rows")
    (found,) = estimate_all([measure])
    assert found.reason == reason
    assert np.isnan(found.interval.lower)
    assert found.interval.reason in ("estimate_undefined", "one_cluster")


def test_identical_problems_are_flagged_rather_than_sold_as_certain():
    measure = ratio_measure("m", np.ones(60), np.full(60, 2.0), "rows")
    (found,) = estimate_all([measure])
    assert "zero_variance" in found.interval.flags


def test_linearised_auroc_of_continuous_scores_is_close_to_the_exact_resampling(monkeypatch):
    correct, cluster, g = clustered()
    score = np.random.default_rng(3).normal(correct * 0.7)
    table = score_table(score)
    exact = auroc_measure(table, correct, cluster, g)
    monkeypatch.setattr(auroc_module, "_MAX_CELLS", 0)
    linear = auroc_measure(table, correct, cluster, g)
    assert linear.estimate == pytest.approx(exact.estimate, abs=1e-12)
    assert linearised_error(linear) == pytest.approx(linearised_error(exact), rel=1e-5)
    a, b = estimate_all([exact, linear])
    width = a.interval.upper - a.interval.lower
    assert b.interval.lower == pytest.approx(a.interval.lower, abs=0.05 * width)
    assert (b.denominator, b.numerator) == (len(correct), pytest.approx(np.nan, nan_ok=True))


def test_resamples_without_a_denominator_are_dropped_and_counted():
    bottom = np.zeros(60)
    bottom[:41] = np.where(np.arange(41) == 0, 1.0, 0.0)
    top = cluster_sum(np.ones(40), np.arange(1, 41), 60)
    measure = ratio_measure("m", top, bottom, "rows")
    (found,) = estimate_all([measure])
    assert found.interval.flags[0].startswith("dropped_resamples_0.3")
