"""Routing metrics and counterfactuals against slow oracles, invariances and the paper's counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from deliberation_blocks import Poll, ragged, slow_metrics, slow_success, to_blocks
from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.deliberation.blocks import Blocks, first_seen_argmax
from routeaudit.deliberation.folds import problem_folds
from routeaudit.deliberation.routing.bounds import label_bounds
from routeaudit.deliberation.routing.counterfactuals import (
    fixed_rules,
    paired_gaps,
    success_measures,
    top_predicted,
)
from routeaudit.deliberation.routing.learned import PollContext, cross_fitted_probability, poll_features
from routeaudit.deliberation.routing.metrics import routing_measures, routing_sums


def metrics(blocks: Blocks) -> dict[str, float]:
    return {m.name: m.estimate for m in routing_measures(routing_sums(blocks))}


def success(blocks: Blocks) -> dict[str, float]:
    measures = success_measures(fixed_rules(blocks), blocks.cluster, blocks.n_clusters)
    return {m.name: m.estimate for m in measures}


@given(ragged())
@settings(max_examples=80, deadline=None)
def test_routing_metrics_equal_loops_over_blocks_and_pairs(case):
    rows, selected, cluster = case
    found = metrics(to_blocks(rows, selected, cluster))
    for name, expected in slow_metrics(rows, selected).items():
        assert found[name] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@given(ragged())
@settings(max_examples=80, deadline=None)
def test_rule_success_equals_enumeration_over_ties(case):
    rows, selected, cluster = case
    found = success(to_blocks(rows, selected, cluster))
    for name, expected in slow_success(rows, selected).items():
        assert found[name] == pytest.approx(expected, abs=1e-12), name


@given(ragged())
@settings(max_examples=40, deadline=None)
def test_strictly_increasing_score_maps_change_no_rank_metric(case):
    rows, _, cluster = case
    blocks = to_blocks(rows, None, cluster)
    mapped = blocks.with_scores(np.where(np.isfinite(blocks.score), blocks.score**3 + 7, -np.inf))
    assert (first_seen_argmax(blocks.offsets, mapped.score) == blocks.selected).all()
    assert metrics(mapped) == pytest.approx(metrics(blocks), nan_ok=True)


@given(ragged(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_of_agents_and_of_blocks_changes_no_metric_that_breaks_no_tie(case, random):
    rows, _, cluster = case
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = [random.sample(rows[i], len(rows[i])) for i in order]
    before = metrics(to_blocks(rows, None, cluster))
    after = metrics(to_blocks(shuffled, None, [cluster[i] for i in order]))
    for name in ("PCCA", "PCCA_pair_micro", "CTR"):
        assert after[name] == pytest.approx(before[name], abs=1e-12, nan_ok=True)


@given(ragged())
@settings(max_examples=40, deadline=None)
def test_identities_between_rules_and_metrics(case):
    rows, selected, cluster = case
    blocks = to_blocks(rows, selected, cluster)
    found, rates = success(blocks), metrics(blocks)
    if not np.isnan(rates["HRWP"]):
        assert found["runtime_argmax"] == pytest.approx(rates["HRWP"] * found["oracle"])
    for name in ("runtime_argmax", "random_valid", "majority_vote"):
        if not np.isnan(found["oracle"]):
            assert found[f"gap_{name}"] == pytest.approx(found["oracle"] - found[name])
            assert found[f"gap_{name}"] >= -1e-12


def test_a_poll_without_score_sorts_below_every_score_first_seen_first():
    score = np.array([-np.inf, 0.0, -np.inf, -np.inf])
    assert first_seen_argmax(np.array([0, 2, 4]), score).tolist() == [1, 0]


def test_blocks_without_a_mixed_pair_have_no_alignment():
    rows = [[Poll(50, True, True)], [Poll(50, True, False), Poll(40, False, True)]]
    found = metrics(to_blocks(rows, [0, 0], [0, 1]))
    assert np.isnan(found["PCCA"])
    assert np.isnan(found["CTR"])


def test_decimal_vote_weights_that_are_equal_on_paper_tie():
    block = [
        Poll(0.1, True, True, "a"),
        Poll(0.2, True, True, "a"),
        Poll(0.3, True, False, "b"),
    ]
    assert success(to_blocks([block], [2], [0]))["confidence_weighted_vote"] == 0.5


def test_paired_gaps_are_differences_over_the_same_blocks():
    rows = [[Poll(90, True, False), Poll(10, True, True)], [Poll(20, True, True)]]
    blocks = to_blocks(rows, None, [0, 1])
    gaps = {m.name: m for m in paired_gaps(fixed_rules(blocks), "random_valid", blocks.cluster, 2)}
    gap = gaps["runtime_argmax_minus_random_valid"]
    assert (gap.estimate, gap.denominator) == (-0.25, 2)


def learned_case(seed: int) -> tuple[Blocks, PollContext, np.ndarray]:
    rng = np.random.default_rng(seed)
    n_blocks, m = 120, 3
    rows = [
        [Poll(int(s), bool(v), bool(c)) for s, v, c in zip(*draw, strict=True)]
        for draw in zip(
            rng.integers(0, 101, (n_blocks, m)),
            rng.random((n_blocks, m)) < 0.8,
            rng.random((n_blocks, m)) < 0.5,
            strict=True,
        )
    ]
    blocks = to_blocks(rows, None, (np.arange(n_blocks) // 4).tolist())
    n = n_blocks * m
    context = PollContext(np.arange(n) % m, np.zeros(n, int), np.arange(n) % 4, np.ones(n, int))
    fold = problem_folds([str(g) for g in range(blocks.n_clusters)], ["t"] * blocks.n_clusters, 5, 0)
    return blocks, context, fold


def test_learned_router_predicts_a_fold_without_its_labels():
    blocks, context, fold = learned_case(0)
    features = poll_features(blocks, context)
    held_out = fold[blocks.cluster[blocks.block_of_row()]] == 2
    flipped = np.where(held_out & blocks.valid, ~blocks.correct, blocks.correct)
    before, _ = cross_fitted_probability(features, blocks, fold)
    after, _ = cross_fitted_probability(features, replace(blocks, correct=flipped), fold)
    assert (before[held_out] == after[held_out]).all()
    assert (before[~held_out & blocks.valid] != after[~held_out & blocks.valid]).any()


def test_learned_features_hold_no_label():
    blocks, context, _ = learned_case(1)
    flipped = replace(blocks, correct=blocks.valid & ~blocks.correct)
    assert (poll_features(blocks, context) == poll_features(flipped, context)).all()


def test_a_router_on_the_labels_reaches_the_oracle():
    blocks, _, _ = learned_case(2)
    perfect = top_predicted("perfect", blocks, blocks.correct.astype(float), "")
    oracle = next(r for r in fixed_rules(blocks) if r.rule == "oracle")
    assert (perfect.success == oracle.success).all()


@given(ragged(), st.integers(0, 2**12 - 1))
@settings(max_examples=25, deadline=None)
def test_label_bounds_are_the_extremes_over_every_labelling(case, code):
    rows, selected, cluster = case
    polls = [p for block in rows for p in block]
    valid = [i for i, p in enumerate(polls) if p.valid]
    hidden = [i for k, i in enumerate(valid[:12]) if code >> k & 1][:5]
    base = to_blocks(rows, selected, cluster)
    unlabelled = np.zeros(len(polls), dtype=bool)
    unlabelled[hidden] = True
    wrong = replace(base, correct=base.correct & ~unlabelled)
    values: dict[str, list[float]] = {"CRA": [], "HRWP": [], "MCR": []}
    for labels in product((False, True), repeat=len(hidden)):
        right = wrong.correct.copy()
        right[hidden] = labels
        found = metrics(replace(wrong, correct=right))
        for name in values:
            values[name].append(found[name])
    bounds = label_bounds(wrong, unlabelled)
    for name, every in values.items():
        if not np.isnan(every).any():
            assert bounds[name] == pytest.approx((min(every), max(every)), abs=1e-12)
