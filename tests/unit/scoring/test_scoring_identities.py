"""Identities and sharpness that hold on every table (statistics.md A1 to A4), against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_tables import grid_cells, routes_of

from routeaudit.cover.scoring import best_of, regret, sampled
from routeaudit.cover.scoring.maxima import task_maximum
from routeaudit.cover.scoring.next_cells import for_contrast, for_criterion

OUTCOMES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def studies(draw, missing=False):
    """A small grid of outcomes with the choices of two to four policies."""
    tasks, teams = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    policies = draw(st.integers(2, 4))
    cell = st.one_of(OUTCOMES, st.just(float("nan"))) if missing else OUTCOMES
    values = draw(st.lists(st.lists(cell, min_size=teams, max_size=teams), min_size=tasks, max_size=tasks))
    picks = {
        f"p{p}": draw(st.lists(st.integers(0, teams - 1), min_size=tasks, max_size=tasks))
        for p in range(policies)
    }
    return np.array(values), picks


def mean_regret(cells, routes, policy, within=None):
    bounded = regret.regret_bounds(cells, routes.of(policy), within)
    assert bounded.point
    return bounded.lower


@given(studies())
@settings(max_examples=150, deadline=None)
def test_regret_identities_of_a_complete_family(study):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    best = values.max(axis=1)
    for p in picks:
        r = mean_regret(cells, routes, p)
        chosen = values[np.arange(len(values)), picks[p]]
        assert np.all((r >= 0) & (r <= 1))
        assert (r.sum() == 0) == bool(np.all(chosen == best))
        for q in picks:
            other = values[np.arange(len(values)), picks[q]]
            assert (r - mean_regret(cells, routes, q)).mean() == pytest.approx(
                (other - chosen).mean(), abs=1e-15
            )


@given(studies(), OUTCOMES)
@settings(max_examples=60, deadline=None)
def test_another_legal_team_never_lowers_regret(study, outcome):
    values, picks = study
    wider = np.column_stack([values, np.full(len(values), outcome)])
    small, large = grid_cells(values), grid_cells(wider)
    for p in picks:
        before = mean_regret(small, routes_of(small, picks), p)
        assert np.all(mean_regret(large, routes_of(large, picks), p) >= before)


@given(studies())
@settings(max_examples=100, deadline=None)
def test_union_regret_is_below_family_regret_and_keeps_differences(study):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    union = regret.union_mask(cells, routes.picks)
    full = {p: mean_regret(cells, routes, p) for p in picks}
    part = {p: mean_regret(cells, routes, p, union) for p in picks}
    for p, q in itertools.combinations(picks, 2):
        assert np.all(part[p] <= full[p])
        assert np.allclose(part[p] - part[q], full[p] - full[q], atol=1e-15)


def all_contrasts(cells, routes):
    return np.array(
        [
            (bound.lower.mean(), bound.upper.mean())
            for p, q in itertools.combinations(routes.policies, 2)
            for bound in [regret.contrast_bounds(cells, routes.of(p), routes.of(q))]
        ]
    )


@given(studies())
@settings(max_examples=100, deadline=None)
def test_contrast_support_suffices_for_every_contrast_and_for_union_regret(study):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    support = regret.contrast_support(cells, routes.picks)
    masked = grid_cells(np.where(support.reshape(values.shape), values, np.nan))
    assert np.array_equal(all_contrasts(masked, routes), all_contrasts(cells, routes))
    union = regret.union_mask(cells, routes.picks)
    for p in picks:
        apart = support.reshape(values.shape).any(axis=1)
        after = regret.regret_bounds(masked, routes.of(p), union)
        assert np.array_equal(after.lower[apart], mean_regret(cells, routes, p, union)[apart])


@given(studies())
@settings(max_examples=60, deadline=None)
def test_contrast_support_is_minimal_every_cell_moves_some_contrast(study):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    for cell in np.flatnonzero(regret.contrast_support(cells, routes.picks)):
        moved = values.copy().ravel()
        moved[cell] = 1.0 if moved[cell] < 1 else 0.0
        assert not np.array_equal(
            all_contrasts(grid_cells(moved.reshape(values.shape)), routes), all_contrasts(cells, routes)
        )


def test_agreement_tasks_cost_nothing_in_the_contrast_support():
    cells = grid_cells(np.zeros((3, 2)))
    routes = routes_of(cells, {"a": [0, 0, 1], "b": [0, 1, 1]})
    assert regret.routes_support_cost(cells, routes) == {
        "family": 6,
        "value": 4,
        "contrast": 2,
        "saved_by_contrast": 2,
    }


def completions(values):
    """Every completion of the missing cells by 0 and 1, which attain the extremes."""
    lost = np.argwhere(np.isnan(values))
    for fill in itertools.product((0.0, 1.0), repeat=len(lost)):
        full = values.copy()
        for place, value in zip(lost, fill, strict=True):
            full[tuple(place)] = value
        yield full


@given(studies(missing=True).filter(lambda study: np.isnan(study[0]).sum() <= 8))
@settings(max_examples=150, deadline=None)
def test_bounds_are_sharp_they_equal_the_extremes_over_all_completions(study):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    full = np.array(list(completions(values)))
    rows = np.arange(len(values))
    first, second = list(picks)[:2]
    chosen = full[:, rows, picks[first]]
    best = full.max(axis=2)
    truths = {
        "regret": (best - chosen, regret.regret_bounds(cells, routes.of(first))),
        "oracle": (best, regret.oracle_bounds(cells)),
        "value": (chosen, regret.value_bounds(cells, routes.of(first))),
        "contrast": (
            chosen - full[:, rows, picks[second]],
            regret.contrast_bounds(cells, routes.of(first), routes.of(second)),
        ),
    }
    for truth, bound in truths.values():
        assert np.allclose(bound.lower.mean(), truth.mean(axis=1).min(), atol=1e-12)
        assert np.allclose(bound.upper.mean(), truth.mean(axis=1).max(), atol=1e-12)


def test_regret_of_the_only_unobserved_team_is_at_most_the_observed_maximum():
    cells = grid_cells([[np.nan, 0.4, 0.2]])
    bound = regret.regret_bounds(cells, routes_of(cells, {"p": [0], "q": [1]}).of("p"))
    assert (bound.lower[0], bound.upper[0]) == (0.0, 0.4)


@given(st.lists(OUTCOMES, min_size=1, max_size=7))
@settings(max_examples=80, deadline=None)
def test_best_of_j_equals_the_mean_over_all_subsets(values):
    values = np.array(values)
    curve = best_of.best_of(values, values.size)
    for j in range(1, values.size + 1):
        truth = np.mean([max(subset) for subset in itertools.combinations(values, j)])
        assert curve[j - 1] == pytest.approx(truth, abs=1e-12)
    assert curve[-1] == pytest.approx(values.max(), abs=1e-12)


@given(studies(), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_sampled_regret_is_a_lower_bound_and_keeps_value_differences(study, size, seed):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    sample = sampled.draw_sample(cells, size, seed)
    assert np.array_equal(
        np.add.reduceat(sample.mask.astype(int), cells.offsets[:-1]), np.minimum(size, cells.sizes)
    )
    parts = {p: sampled.sampled_regret(cells, routes, sample, p).lower for p in picks}
    for p, q in itertools.combinations(picks, 2):
        assert np.all(parts[p] <= mean_regret(cells, routes, p))
        gap = cells.value[routes.of(q)] - cells.value[routes.of(p)]
        assert np.allclose(parts[p] - parts[q], gap, atol=1e-15)


def test_the_draw_of_a_task_does_not_depend_on_other_tasks():
    many, few = grid_cells(np.zeros((6, 5))), grid_cells(np.zeros((2, 5)))
    drawn = sampled.draw_sample(many, 2, seed=3).mask.reshape(6, 5)
    assert np.array_equal(drawn[:2], sampled.draw_sample(few, 2, seed=3).mask.reshape(2, 5))
    assert not np.array_equal(drawn, sampled.draw_sample(many, 2, seed=4).mask.reshape(6, 5))


def test_declared_contrasts_need_fewer_cells_than_all_pairs():
    cells = grid_cells(np.zeros((2, 3)))
    routes = routes_of(cells, {"a": [0, 0], "b": [1, 0], "c": [2, 1]})
    declared = regret.pairs_support(cells, routes.of("a")[None], routes.of("b")[None])
    assert declared.sum() == 2
    assert regret.contrast_support(cells, routes.picks).sum() == 5


def test_next_cells_of_a_contrast_are_the_missing_ones_of_its_support_cheapest_first():
    cells = grid_cells([[np.nan, np.nan, 1.0], [np.nan, 1.0, 0.0], [1.0, 0.0, 0.0]], sizes=[3, 1, 2])
    routes = routes_of(cells, {"a": [0, 0, 0], "b": [1, 0, 1]})
    found = for_contrast(cells, routes, "a", "b")
    assert found.cells == (("t0000", "a01"), ("t0000", "a00"))
    assert (found.cost, found.fewest_to_decide) == (4, 1)


@given(
    studies(missing=True).filter(lambda study: 0 < np.isnan(study[0]).sum() <= 6),
    st.sampled_from([0.1, 0.3, 0.6]),
)
@settings(max_examples=80, deadline=None)
def test_next_cells_of_a_criterion_really_can_settle_it(study, threshold):
    values, picks = study
    cells = grid_cells(values)
    routes = routes_of(cells, picks)
    found = for_criterion(cells, routes, "p0", threshold)
    limit = threshold * len(values) + 1e-9
    bounds = regret.regret_bounds(cells, routes.of("p0"))
    if found is None:
        assert bounds.upper.sum() <= limit or bounds.lower.sum() > limit
        return
    places = [(int(task[1:]), int(team[1:])) for task, team in found.cells]
    settled = False
    for fill in itertools.product((0.0, 1.0), repeat=len(places)):
        tried = values.copy()
        for place, value in zip(places, fill, strict=True):
            assert np.isnan(values[place])
            tried[place] = value
        after = regret.regret_bounds(grid_cells(tried), routes.of("p0"))
        settled |= bool(
            after.upper.sum() <= limit if found.effect == "could_pass" else after.lower.sum() > limit
        )
    assert settled


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [[3] * 30_000, [16] * 5000, [1] * 5, [200] * 4, [2, 1, 5, 130], []])
def test_task_maxima_equal_a_plain_loop_whatever_the_family_sizes(sizes, dtype):
    offsets = np.concatenate([[0], np.cumsum(np.array(sizes, dtype=int))])
    values = np.random.default_rng(0).random(offsets[-1]).astype(dtype)
    truth = [values[low:high].max() for low, high in itertools.pairwise(offsets)]
    found = task_maximum(values, offsets)
    assert found.dtype == dtype
    assert found.tolist() == [float(value) for value in truth]
