"""Which interval and p a mean gets, and what degenerate inputs give."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from routeaudit.inference.default_rule import choose
from routeaudit.inference.infer import infer_means
from routeaudit.inference.plan import InferencePlan

PLAN = InferencePlan(resamples=999)


@pytest.mark.parametrize(
    ("case", "interval", "p"),
    [
        (("difference", True, False, 300, 117), "percentile", "mcnemar"),
        (("difference", True, False, 300, 13), "agresti_min", "mcnemar"),
        (("difference", True, False, 14, 14), "agresti_min", "mcnemar"),
        (("rate", True, False, 99, 40), "wilson", "mcnemar"),
        (("rate", False, False, 500, 200), "percentile", "studentized"),
        (("rate", False, False, 60, 50), "studentized", "studentized"),
        (("rate", False, False, 60, 19), "gaffke", "studentized"),
        (("difference", False, False, 60, 50), "student_hull", "studentized"),
        (("difference", False, False, 14, 10), "student_hull", "studentized"),
        (("difference", False, False, 14, 4), "gaffke", "studentized"),
        (("rate", False, False, 14, 10), "gaffke", "studentized"),
        (("difference", True, True, 39, 39), "student_hull", "cluster_t"),
        (("rate", True, True, 39, 39), "student_hull", "cluster_t"),
        (("rate", True, True, 9, 30), "gaffke", "cluster_t"),
        (("difference", True, True, 40, 40), "percentile", "cluster_studentized"),
    ],
)
def test_one_default_each(case, interval, p):
    kind, binary, clustered, units, informative = case
    found = choose(kind=kind, binary=binary, clustered=clustered, units=units, informative=informative)
    assert (found.interval, found.p) == (interval, p)
    assert found.rule


def one(values, kind="difference", clusters=None, plan=PLAN):
    return infer_means(np.asarray(values, dtype=float)[:, None], kind, plan, clusters)[0]


def test_no_task_is_an_empty_denominator():
    found = one([])
    assert math.isnan(found.mean)
    assert (found.denominator, found.reason, found.interval.reason) == (
        0,
        "empty_denominator",
        "empty_denominator",
    )


def test_one_task_has_an_estimate_but_neither_interval_nor_p():
    found = one([0.4])
    assert found.mean == 0.4
    assert (found.interval.reason, found.p.reason) == ("one_task", "one_task")
    assert math.isnan(found.interval.lower)


def test_one_cluster_has_no_interval():
    found = one([0.4, 0.2, 0.1], clusters=np.zeros(3, dtype=int))
    assert found.reason == "one_cluster"
    assert found.clusters == 1


@pytest.mark.parametrize("kind", ["difference", "rate"])
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tasks", [2, 14, 60, 300])
def test_constant_outcomes_are_flagged_and_given_a_finite_sample_interval(kind, value, tasks):
    found = one([value] * tasks, kind)
    assert "zero_variance" in found.flags
    widths = [i.upper - i.lower for i in (found.interval, *found.companions)]
    assert max(widths) > 0
    assert all(i.lower - 1e-12 <= value <= i.upper + 1e-12 for i in (found.interval, *found.companions))
    if kind == "difference":
        assert found.p.p == pytest.approx(1.0 if value == 0 else 2 / 2**tasks)


def test_rounding_noise_counts_as_a_constant():
    values = np.full(30, 0.1) + np.resize([0, 1e-17, -1e-17], 30)
    assert "zero_variance" in one(values).flags


def test_repeated_sources_switch_to_clusters_and_few_clusters_are_flagged():
    values = np.random.default_rng(0).random(30)
    found = one(values, clusters=np.arange(30) // 5)
    assert (found.clusters, found.interval.method, found.p.method) == (6, "student_hull", "cluster_t")
    assert {"few_clusters", "t_reference"} <= set(found.flags)
    assert one(values, clusters=np.arange(30)).clusters == 30


def test_estimates_are_task_weighted_under_clusters():
    found = one([1.0, 1.0, 1.0, 0.0], "rate", clusters=np.array([0, 0, 0, 1]))
    assert (found.numerator, found.denominator, found.mean) == (3, 4, 0.75)


def test_the_exact_engine_refuses_what_is_off_the_lattice():
    values = np.random.default_rng(0).random(200)
    found = one(values, plan=InferencePlan(engine="exact"))
    assert (found.interval.reason, found.p.reason) == ("not_on_a_lattice", "needs_mc")


def test_inference_repeats_exactly_and_other_columns_do_not_change_it_under_a_contract_digest():
    values = np.random.default_rng(0).random((120, 3)) - 0.4
    plan = InferencePlan(resamples=999, digest="contract")
    together = infer_means(values, "difference", plan)
    alone = infer_means(values[:, 1:2], "difference", plan)[0]
    assert together == infer_means(values, "difference", plan)
    assert alone.p == together[1].p
    assert alone.interval.lower == pytest.approx(together[1].interval.lower, abs=1e-12)


def test_results_are_json_ready_and_readable():
    found = one(np.random.default_rng(0).random(40) - 0.4)
    json.dumps([found.interval.to_dict(), found.p.to_dict()], allow_nan=False)
    assert "student_hull/mc" in str(found.interval)
    json.dumps(one([0.4]).interval.to_dict(), allow_nan=False)
    assert str(one([0.4]).interval) == "NaN(one_task)"
