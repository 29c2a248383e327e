"""Intervals, tests and corrections against the field's libraries and brute force."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from routeaudit.inference import binomial, cornish_fisher, identified, one_sided, pvalues
from routeaudit.inference.columns import summarise
from routeaudit.inference.construct import Replicated, construct
from routeaudit.inference.gaffke import gaffke_bounds
from routeaudit.inference.infer import infer_means
from routeaudit.inference.multiplicity import holm, romano_wolf
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.replicates import bootstrap
from routeaudit.inference.sensitivity import all_intervals
from routeaudit.inference.streams import Stream
from routeaudit.inference.units import reduce_to_units
from routeaudit.inference.weights import resampled_sums

PLAN = InferencePlan()
STREAM = Stream(0, "d")


def graded(tasks, columns=1, seed=0):
    return np.random.default_rng(seed).beta(1, 2, (tasks, columns)) - 0.3


def mc_interval(method, values, clusters=None):
    units = reduce_to_units(values, clusters)
    column = summarise(values, units, "difference", (-1.0, 1.0))[0]
    found = bootstrap(units, PLAN.resamples, STREAM)
    drawn = Replicated(np.sort(found.means[:, 0]), np.sort(found.t[:, 0]))
    return construct(method, column, replace(PLAN, engine="mc"), drawn), column


@pytest.mark.parametrize("tasks", [20, 100, 500])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_monte_carlo_intervals_agree_with_scipy_within_their_noise(tasks, method):
    values = graded(tasks)
    ours, column = mc_interval(method, values)
    theirs = stats.bootstrap(
        (values[:, 0],), np.mean, method=method, n_resamples=9999, rng=np.random.default_rng(1)
    ).confidence_interval
    noise = 4 * 0.027 * math.sqrt(2) * column.error
    assert ours.lower == pytest.approx(theirs.low, abs=noise)
    assert ours.upper == pytest.approx(theirs.high, abs=noise)


@pytest.mark.parametrize("clustered", [False, True])
def test_closed_form_acceleration_equals_the_jackknife(clustered):
    values = graded(60)
    clusters = np.arange(60) // 3 if clustered else None
    units = reduce_to_units(values, clusters)
    column = summarise(values, units, "difference", (-1.0, 1.0))[0]
    codes = np.arange(60) if clusters is None else clusters
    left_out = np.array([values[codes != code].mean() for code in np.unique(codes)])
    away = left_out.mean() - left_out
    assert column.acceleration == pytest.approx((away**3).sum() / (6 * (away**2).sum() ** 1.5), abs=1e-12)


@pytest.mark.parametrize("clustered", [False, True])
def test_studentized_replicates_equal_a_resample_by_hand(clustered):
    values = graded(12)
    clusters = np.array([0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 6]) if clustered else None
    units = reduce_to_units(values, clusters)
    names = np.eye(units.count)
    replicates = bootstrap(units, 50, STREAM)
    for weights, mean, t in zip(
        resampled_sums(names, 50, STREAM), replicates.means, replicates.t, strict=True
    ):
        picked = np.repeat(np.arange(units.count), np.rint(weights).astype(int))
        sums, sizes = units.sums[picked, 0], units.sizes[picked]
        by_hand = sums.sum() / sizes.sum()
        count = units.count
        error = math.sqrt(count / (count - 1) * ((sums - by_hand * sizes) ** 2).sum()) / sizes.sum()
        assert mean[0] == pytest.approx(by_hand, abs=1e-12)
        assert t[0] == pytest.approx((by_hand - values.mean()) / error, rel=1e-9)


def test_cluster_robust_error_equals_statsmodels_cr1():
    values = graded(40)
    clusters = np.random.default_rng(0).integers(0, 9, 40)
    fit = sm.OLS(values[:, 0], np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    ours = reduce_to_units(values, clusters).standard_errors()[0]
    # statsmodels scales by (n - 1) / (n - k) as well, which is 1 here.
    assert ours == pytest.approx(float(fit.bse[0]), rel=1e-10)


def test_t_interval_and_p_equal_scipy():
    values = graded(25)
    result = stats.ttest_1samp(values[:, 0], 0)
    interval, column = mc_interval("student_t", values)
    assert (interval.lower, interval.upper) == pytest.approx(tuple(result.confidence_interval(0.95)))
    assert pvalues.student_t_p(column.mean / column.error, 24) == pytest.approx(result.pvalue)


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=60, deadline=None)
def test_binomial_intervals_equal_statsmodels(counts):
    k, n = counts
    assert binomial.wilson(k, n) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-9)
    assert binomial.clopper_pearson(k, n) == pytest.approx(proportion_confint(k, n, method="beta"), abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_mcnemar_equals_statsmodels_exact(wins, losses):
    if wins + losses == 0:
        assert binomial.mcnemar(wins, losses) == 1.0
        return
    theirs = statsmodels_mcnemar([[0, wins], [losses, 0]], exact=True).pvalue
    assert binomial.mcnemar(wins, losses) == pytest.approx(min(1.0, theirs), rel=1e-9)


def test_agresti_min_adds_half_to_each_discordant_count():
    low, high = binomial.agresti_min(5, 2, 30)
    b, c, n = 5.5, 2.5, 32
    half = stats.norm.ppf(0.975) * math.sqrt(b + c - (b - c) ** 2 / n) / n
    assert (low, high) == pytest.approx(((b - c) / n - half, (b - c) / n + half))


@pytest.mark.parametrize("tasks", [5, 12])
def test_enumerated_sign_flips_equal_scipy(tasks):
    values = graded(tasks) + 0.2
    theirs = stats.permutation_test(
        (values[:, 0],), np.mean, permutation_type="samples", n_resamples=2**tasks, alternative="two-sided"
    )
    ours = pvalues.sign_flips(values, 9999, STREAM)[0]
    assert ours.engine == "exact"
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_drawn_sign_flips_agree_with_the_normal_tail_for_many_tasks():
    values = graded(400) + 0.01
    ours = pvalues.sign_flips(values, 9999, STREAM)[0]
    z = values.sum() / math.sqrt((values**2).sum())
    assert ours.engine == "mc"
    assert ours.p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.02)


def test_monte_carlo_p_values_count_ties_against_rejection():
    assert pvalues.studentized_p(np.array([-2.0, 0.5, 2.0]), 2.0) == 3 / 4


def test_every_construction_of_an_interval_is_there_or_says_why_not():
    found = all_intervals(graded(60)[:, 0], "difference", PLAN)
    missing = {method: interval.reason for method, interval in found.items() if interval.reason}
    assert missing == dict.fromkeys(("agresti_min", "wilson", "clopper_pearson"), "not_binary")
    mean = graded(60).mean()
    for method in set(found) - set(missing):
        assert found[method].lower < mean < found[method].upper
    hull, t, bootstrap_t = (found[name] for name in ("student_hull", "student_t", "studentized"))
    assert hull.lower == min(t.lower, bootstrap_t.lower)
    assert hull.upper == max(t.upper, bootstrap_t.upper)


def test_bca_without_spread_falls_back_and_says_so():
    found = all_intervals(np.full(20, 0.25), "difference", PLAN)
    assert found["bca"].flags == ("bca_unstable",)
    assert found["bca"].method == "student_t"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=8, deadline=None)  # statsmodels collects garbage in every call
def test_holm_equals_statsmodels(values):
    ours = holm(np.array(values))
    assert ours == pytest.approx(multipletests(values, method="holm")[1], abs=1e-12)


def test_a_missing_p_enters_holm_as_one_and_still_counts():
    assert holm(np.array([0.01, math.nan, 0.04])) == pytest.approx([0.03, 1.0, 0.08])


def test_romano_wolf_equals_its_definition():
    rng = np.random.default_rng(0)
    draws, observed = rng.standard_normal((199, 4)), np.array([2.5, -1.0, 0.2, 2.4])
    order = np.argsort(-np.abs(observed))
    expected, running = np.empty(4), 0.0
    for step, test in enumerate(order):
        worst = np.abs(draws[:, order[step:]]).max(axis=1)
        running = max(running, (1 + (worst >= abs(observed[test]) - 1e-12).sum()) / 200)
        expected[test] = running
    assert romano_wolf(lambda tests: draws[:, tests], observed) == pytest.approx(expected)


@pytest.mark.parametrize(("tasks", "bound"), [(14, 0.193), (29, 0.0982)])
def test_gaffke_without_any_regret_is_the_zero_event_bound(tasks, bound):
    assert gaffke_bounds(np.zeros(tasks), 0.95)[1] == pytest.approx(1 - 0.05 ** (1 / tasks), abs=1e-9)
    assert gaffke_bounds(np.zeros(tasks), 0.95)[1] == pytest.approx(bound, abs=5e-4)


@given(st.integers(0, 20))
@settings(max_examples=21, deadline=None)
def test_gaffke_of_binary_outcomes_is_clopper_pearson(k):
    values = np.array([1.0] * k + [0.0] * (20 - k))
    lower, upper = gaffke_bounds(values, 0.975)
    assert (lower, upper) == pytest.approx(binomial.clopper_pearson(k, 20), abs=1e-7)


def test_gaffke_equals_dirichlet_quantiles_and_rescales():
    values = graded(14)[:, 0]
    lower, upper = gaffke_bounds(values, 0.975, (-1.0, 1.0))
    draws = np.random.default_rng(0).dirichlet(np.ones(15), 400_000)
    scaled = (values + 1) / 2
    low = np.quantile(draws[:, :14] @ scaled, 0.025)
    high = np.quantile(draws[:, :14] @ scaled + draws[:, 14], 0.975)
    assert (lower, upper) == pytest.approx((2 * low - 1, 2 * high - 1), abs=3e-3)


@pytest.mark.parametrize("tasks", [50, 300])
def test_analytic_engine_agrees_with_monte_carlo_in_standard_errors(tasks):
    values = graded(tasks)
    for method in ("percentile", "expanded_percentile", "bca"):
        mc, column = mc_interval(method, values)
        analytic = construct(method, column, replace(PLAN, engine="analytic"), Replicated())
        assert abs(mc.lower - analytic.lower) < 0.12 * column.error
        assert abs(mc.upper - analytic.upper) < 0.12 * column.error


def test_analytic_studentized_p_agrees_with_monte_carlo():
    for shift in (-0.06, -0.02, 0.03):
        values = np.random.default_rng(3).exponential(0.3, (120, 1)) - 0.3 + shift
        mc = infer_means(values, "difference", replace(PLAN, engine="mc"), support=(-9.0, 9.0))[0].p
        analytic = infer_means(values, "difference", replace(PLAN, engine="analytic"), support=(-9.0, 9.0))[
            0
        ].p
        assert (mc.engine, analytic.engine) == ("mc", "analytic")
        assert analytic.p == pytest.approx(mc.p, abs=0.02)


def test_pair_moments_from_gram_matrices_equal_direct_ones():
    values = np.random.default_rng(0).beta(1, 3, (5000, 4))
    pairs = list(itertools.combinations(range(4), 2))
    contrasts = np.zeros((6, 4))
    for row, (i, j) in enumerate(pairs):
        contrasts[row, i], contrasts[row, j] = 1, -1
    ours = cornish_fisher.contrast_moments(values, contrasts)
    direct = cornish_fisher.column_moments(values @ contrasts.T)
    for name in ("mean", "m2", "m3", "m4"):
        assert getattr(ours, name) == pytest.approx(getattr(direct, name), rel=1e-9, abs=1e-12)


def test_exact_lattice_engine_agrees_with_monte_carlo_on_graded_outcomes():
    values = np.random.default_rng(0).integers(0, 5, (120, 1)) / 4
    exact = infer_means(values, "rate", PLAN)[0].interval
    drawn = infer_means(values, "rate", replace(PLAN, engine="mc"))[0].interval
    assert (exact.engine, drawn.engine) == ("exact", "mc")
    assert exact.lower == pytest.approx(drawn.lower, abs=2 / 480)
    assert exact.upper == pytest.approx(drawn.upper, abs=2 / 480)


def test_imbens_manski_runs_from_two_sided_to_one_sided_as_bounds_widen():
    values = graded(200)[:, 0] + 0.3
    error = values.std(ddof=1) / math.sqrt(200)
    point = identified.imbens_manski(values, values, PLAN)
    assert (values.mean() - point.lower) / error == pytest.approx(stats.norm.ppf(0.975), abs=1e-4)
    wide = identified.imbens_manski(values * 0.5, values * 0.5 + 0.4, PLAN)
    assert (values.mean() * 0.5 - wide.lower) / (error / 2) == pytest.approx(stats.norm.ppf(0.95), abs=1e-4)


@pytest.mark.parametrize(
    ("values", "clusters", "method"),
    [
        (np.array([1.0] * 3 + [0.0] * 27), None, "clopper_pearson"),
        (graded(20)[:, 0] + 0.3, None, "gaffke"),
        (graded(200)[:, 0] + 0.3, None, "student_t"),
        (graded(20)[:, 0] + 0.3, np.arange(20) // 2, "cluster_t"),
    ],
)
def test_one_sided_bounds_hold_the_mean_and_name_their_method(values, clusters, method):
    found = one_sided.one_sided_bounds(values, 0.95, clusters)
    assert found.method == method
    assert found.lower < values.mean() < found.upper
