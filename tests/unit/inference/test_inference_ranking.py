"""Rank intervals hold every rank that the true means allow; different tiers are always separated."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from places import ROOT
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.ranking import rank_intervals, ranks, tiers

sys.path.insert(0, str(ROOT / "benchmarks"))
import rank_validity

PLAN = InferencePlan(seed=5)


def _apart(count: int) -> st.SearchStrategy[np.ndarray]:
    return arrays(bool, (count, count)).map(lambda drawn: np.triu(drawn, 1) | np.triu(drawn, 1).T)


@given(st.integers(1, 9).flatmap(_apart))
def test_two_items_of_different_tiers_are_always_separated(apart: np.ndarray) -> None:
    found = tiers(apart)
    assert all(apart[i, j] for i in range(len(found)) for j in range(len(found)) if found[i] != found[j])


@given(st.integers(1, 9).flatmap(_apart))
def test_tiers_are_as_many_as_separation_allows(apart: np.ndarray) -> None:
    found = tiers(apart)
    cuts = [k for k in range(1, len(found)) if apart[:k, k:].all()]
    assert found.tolist() == [1 + sum(k <= i for k in cuts) for i in range(len(found))]


def test_a_chain_of_pairs_that_are_not_separated_is_one_tier_although_its_ends_are() -> None:
    apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    assert tiers(apart).tolist() == [1, 1, 1]


@given(arrays(float, 6, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))
def test_tied_means_share_the_rank_after_all_larger_ones(means: np.ndarray) -> None:
    assert ranks(means).tolist() == [1 + sum(other > mine for other in means) for mine in means]


def test_an_interval_holds_the_rank_and_ranks_never_leave_the_table() -> None:
    values = np.random.default_rng(1).random((30, 12)) < np.linspace(0.1, 0.9, 12)
    found = rank_intervals(values.astype(float), PLAN)
    assert ((found.lower >= 1) & (found.lower <= found.rank)).all()
    assert ((found.rank <= found.upper) & (found.upper <= 12)).all()


def test_equal_columns_share_every_rank_of_their_group() -> None:
    rng = np.random.default_rng(2)
    one, other = (rng.random(400) < 0.9).astype(float), (rng.random(400) < 0.2).astype(float)
    found = rank_intervals(np.stack([one, one, other], axis=1), PLAN)
    assert found.lower.tolist() == [1, 1, 3]
    assert found.upper.tolist() == [2, 2, 3]


def test_the_order_of_policies_changes_no_interval() -> None:
    values = (np.random.default_rng(3).random((60, 7)) < np.linspace(0.1, 0.9, 7)).astype(float)
    order = np.array([3, 0, 6, 1, 5, 2, 4])
    plan = InferencePlan(digest="same stream")
    found, turned = rank_intervals(values, plan), rank_intervals(values[:, order], plan)
    assert turned.lower.tolist() == found.lower[order].tolist()
    assert turned.upper.tolist() == found.upper[order].tolist()


@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (5, 0)])
def test_too_little_material_orders_nothing(shape: tuple[int, int]) -> None:
    found = rank_intervals(np.zeros(shape), PLAN)
    assert found.lower.tolist() == [1] * shape[1]
    assert found.upper.tolist() == [shape[1]] * shape[1]


def test_a_constant_difference_over_few_tasks_orders_nothing() -> None:
    assert rank_intervals(np.tile([1.0, 0.0], (4, 1)), PLAN).upper.tolist() == [2, 2]
    assert rank_intervals(np.tile([1.0, 0.0], (40, 1)), PLAN).upper.tolist() == [1, 2]


def test_copies_of_a_source_do_not_narrow_the_ranks() -> None:
    values = (np.random.default_rng(4).random((20, 2)) < [0.8, 0.4]).astype(float)
    copied, sources = np.repeat(values, 10, axis=0), np.repeat(np.arange(20), 10)
    plan = InferencePlan(digest="same stream")
    assert rank_intervals(copied, plan, sources).critical == pytest.approx(
        rank_intervals(values, plan).critical
    )
    assert rank_intervals(copied, plan, sources).upper.tolist() == rank_intervals(values, plan).upper.tolist()
    assert rank_intervals(copied, plan).upper.tolist() == [1, 2]


@pytest.mark.parametrize("generator", rank_validity.GENERATORS, ids=lambda generator: generator.name)
def test_all_intervals_of_a_table_are_right_at_once_as_often_as_they_claim(
    generator: rank_validity.Generator,
) -> None:
    found = rank_validity.measure(generator, policies=8, tasks=41, replications=100)
    # Three standard errors of 100 tables below .95.
    assert found.simultaneous >= 0.88


def test_181_policies_on_41_tasks_take_less_than_a_second() -> None:
    values = (np.random.default_rng(0).random((41, 181)) < 0.5).astype(float)
    started = time.process_time()
    rank_intervals(values, PLAN)
    assert time.process_time() - started < 1.0
