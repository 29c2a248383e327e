"""Planning and design: power, replicates, folds, equivalence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import zt_ind_solve_power

from routeaudit.errors import InputError
from routeaudit.inference.binomial import mcnemar
from routeaudit.inference.equivalence import two_one_sided_tests
from routeaudit.inference.folds import assign_folds, cross_fitted_routes, require_disjoint_sources
from routeaudit.inference.power import detectable_gap, mcnemar_power, tasks_for_binary_gap, tasks_for_gap
from routeaudit.inference.two_level import split_variance


@pytest.mark.parametrize(("gap", "sd", "power"), [(0.05, 0.4, 0.8), (0.1, 0.6, 0.9)])
def test_tasks_for_a_gap_equal_the_normal_formula_of_statsmodels(gap, sd, power):
    theirs = zt_ind_solve_power(effect_size=gap / sd, alpha=0.05, power=power, ratio=0)
    assert tasks_for_gap(gap, sd, power=power) == math.ceil(theirs)
    assert detectable_gap(tasks_for_gap(gap, sd, power=power), sd, power=power) <= gap


def test_detectable_gap_is_two_point_eight_standard_errors():
    assert detectable_gap(400, 0.5) == pytest.approx(2.8 * 0.5 / 20, rel=1e-3)


def test_more_tests_and_shared_sources_need_more_tasks():
    assert tasks_for_gap(0.1, 0.5, tests=3) > tasks_for_gap(0.1, 0.5)
    assert tasks_for_gap(0.1, 0.5, design_effect=2) == pytest.approx(2 * tasks_for_gap(0.1, 0.5), abs=1)


def test_mcnemar_power_equals_enumeration():
    tasks, wins, losses = 12, 0.45, 0.1
    truth = sum(
        stats.multinomial.pmf([b, c, tasks - b - c], tasks, [wins, losses, 1 - wins - losses])
        for b in range(tasks + 1)
        for c in range(tasks + 1 - b)
        if mcnemar(b, c) <= 0.05
    )
    assert mcnemar_power(tasks, wins, losses) == pytest.approx(truth, abs=1e-9)


def test_the_returned_number_of_tasks_has_the_power_asked_for():
    tasks = tasks_for_binary_gap(0.29, 0.10)
    assert mcnemar_power(tasks, 0.29, 0.10) >= 0.8
    assert mcnemar_power(int(tasks * 0.9), 0.29, 0.10) < 0.8


def test_variance_split_recovers_planted_components():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 0.3, (4000, 1)) + rng.normal(0, 0.6, (4000, 5))
    found = split_variance(values)
    assert (found.task, found.noise) == pytest.approx((0.09, 0.36), rel=0.08)
    assert found.error == pytest.approx(values.mean(axis=1).std(ddof=1) / math.sqrt(4000))
    assert found.noise_share == pytest.approx(0.36 / 5 / (0.09 + 0.36 / 5), abs=0.03)


def test_replicates_to_buy_minimise_the_error_of_a_fixed_budget():
    found = split_variance(np.random.default_rng(0).normal(size=(50, 4)) + np.arange(50)[:, None] / 10)
    best = found.replicates_to_buy(task_cost=8, run_cost=1)

    def variance(replicates):
        tasks = 1000 / (8 + replicates)
        return found.task / tasks + found.noise / (tasks * replicates)

    assert variance(best) <= min(variance(best * 0.9), variance(best * 1.1))


def test_one_replicate_leaves_the_split_unidentified():
    found = split_variance(np.ones((5, 1)))
    assert math.isnan(found.noise)
    assert found.reason == "one_replicate"


@given(st.lists(st.integers(0, 12), min_size=30, max_size=60), st.integers(0, 5))
def test_folds_never_split_a_cluster_and_do_not_depend_on_task_order(codes, seed):
    clusters = {f"t{i}": f"s{code}" for i, code in enumerate(codes)}
    if len(set(codes)) < 3:
        with pytest.raises(InputError):
            assign_folds(clusters, 3, seed)
        return
    folds = assign_folds(clusters, 3, seed)
    assert set(folds.values()) == {0, 1, 2}
    assert len({(clusters[task], fold) for task, fold in folds.items()}) == len(set(codes))
    assert folds == assign_folds(dict(reversed(clusters.items())), 3, seed)


def test_cross_fitting_routes_no_task_that_its_router_was_fitted_on():
    folds = assign_folds({f"t{i}": f"s{i // 2}" for i in range(20)}, 4)

    def fit(training):
        return lambda task: "leak" if task in training else "clean"

    assert set(cross_fitted_routes(folds, fit).values()) == {"clean"}
    assert set(cross_fitted_routes(folds, fit)) == set(folds)


def test_shared_sources_between_splits_are_refused():
    require_disjoint_sources(["a", "b"], ["c"])
    with pytest.raises(InputError, match="first 'b'"):
        require_disjoint_sources(["a", "b"], ["b", "c"])


def test_equivalence_is_the_ninety_percent_interval_inside_the_margin():
    mean, error, units = 0.01, 0.012, 200
    half = stats.t.ppf(0.95, units - 1) * error
    for margin in (mean + half - 1e-6, mean + half + 1e-6):
        assert two_one_sided_tests(mean, error, units, margin).equivalent == (margin > mean + half)
