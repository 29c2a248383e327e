"""Calibration against scikit-learn, hand counts and inequalities; no label leaks across folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.metrics import brier_score_loss, roc_auc_score

from routeaudit.deliberation.calibration.auroc import auroc, auroc_measure, within_fold_auroc
from routeaudit.deliberation.calibration.crossfit import cross_fit
from routeaudit.deliberation.calibration.maps import FITTERS, clipped_logit, fit_isotonic, fit_temperature
from routeaudit.deliberation.calibration.reliability import (
    bin_index,
    brier_measure,
    ece_measure,
    ece_noise_floor,
    murphy,
    reliability,
)
from routeaudit.deliberation.calibration.scores import Candidates, score_table
from routeaudit.deliberation.folds import problem_folds
from routeaudit.errors import InputError

SCORES = st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=2, max_size=60)


def arrays(rows: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([s for s, _ in rows]), np.array([z for _, z in rows])


def candidates(seed: int = 0, n: int = 4_000, problems: int = 40) -> Candidates:
    rng = np.random.default_rng(seed)
    score = rng.choice([5, 30, 50, 60, 70, 85, 90, 95, 100], n)
    correct = rng.random(n) < 0.2 + 0.6 * (score / 100) ** 2
    return Candidates(score, 100.0, correct, rng.integers(0, problems, n), problems, rng.integers(0, 3, n))


@given(SCORES)
@settings(max_examples=80, deadline=None)
def test_auroc_equals_scikit_learn_with_ties(rows):
    score, correct = arrays(rows)
    if correct.all() or not correct.any():
        assert np.isnan(auroc(score, correct))
    else:
        assert auroc(score, correct) == pytest.approx(roc_auc_score(correct, score), abs=1e-12)
        assert auroc(score / 7.0, correct) == pytest.approx(auroc(score, correct), abs=1e-12)


@given(SCORES)
@settings(max_examples=40, deadline=None)
def test_auroc_of_reversed_scores_is_the_complement(rows):
    score, correct = arrays(rows)
    if correct.any() and not correct.all():
        assert auroc(100 - score, correct) == pytest.approx(1 - auroc(score, correct), abs=1e-12)


@given(SCORES)
@settings(max_examples=80, deadline=None)
def test_brier_decomposes_exactly_and_bounds_hold(rows):
    score, correct = arrays(rows)
    p, cluster = score / 100, np.zeros(len(score), int)
    bins = bin_index(score, 100, 10, "right")
    brier = brier_measure(p, correct, cluster, 1).estimate
    parts = murphy(score_table(score), 100, correct)
    ece = ece_measure(p, correct, bins, 10, cluster, 1).estimate
    assert brier == pytest.approx(brier_score_loss(correct, p), abs=1e-12)
    assert parts.brier == pytest.approx(brier, abs=1e-12)
    assert ece >= abs(p.mean() - correct.mean()) - 1e-12
    assert parts.reliability >= ece**2 - 1e-12
    assert reliability(p, correct, bins, 10, "right").ece == pytest.approx(ece, abs=1e-12)


@pytest.mark.parametrize(
    ("closed", "expected"), [("right", [0, 0, 2, 5, 6, 9, 9]), ("left", [0, 1, 3, 6, 7, 9, 9])]
)
def test_scores_on_bin_edges_go_where_the_convention_says(closed, expected):
    whole = np.array([0, 10, 30, 60, 70, 95, 100])
    assert bin_index(whole, 100, 10, closed).tolist() == expected
    assert bin_index(whole / 100, 1.0, 10, closed).tolist() == expected
    assert bin_index(np.array([0.0, 1, 3, 6, 7, 9.5, 10]), 10.0, 10, closed).tolist() == expected


def test_linspace_edges_would_misplace_30_60_and_70():
    naive = np.digitize(np.array([30, 60, 70]) / 100, np.linspace(0, 1, 11)) - 1
    assert naive.tolist() != bin_index(np.array([30, 60, 70]), 100, 10, "left").tolist()


def test_ece_of_hand_counts():
    score = np.array([100, 100, 50, 50])
    correct = np.array([True, False, True, True])
    found = ece_measure(score / 100, correct, bin_index(score, 100, 10, "right"), 10, np.arange(4), 4)
    assert (found.estimate, found.denominator) == (0.5, 4)


def test_scores_outside_the_scale_are_refused():
    with pytest.raises(InputError, match=r"\[0, 100\]"):
        Candidates(np.array([-100100]), 100.0, np.array([True]), np.array([0]), 1, np.array([0]))


def test_temperature_is_the_maximum_likelihood_root():
    data = candidates()
    table = score_table(data.probability)
    wrong, right = table.counts(data.correct)
    x = clipped_logit(table.values)

    def loss(log_t: float) -> float:
        z = x / np.exp(log_t)
        return float((right * np.logaddexp(0, -z) + wrong * np.logaddexp(0, z)).sum())

    best = minimize_scalar(
        loss, bounds=(np.log(0.05), np.log(100)), method="bounded", options={"xatol": 1e-10}
    )
    assert fit_temperature(table.values, wrong, right).temperature == pytest.approx(np.exp(best.x), rel=1e-5)


def test_temperature_recovers_planted_overconfidence():
    rng = np.random.default_rng(1)
    p = rng.choice(np.arange(1, 100), 200_000) / 100
    correct = rng.random(len(p)) < 1 / (1 + np.exp(-clipped_logit(p) / 4.35))
    table = score_table(p)
    assert fit_temperature(table.values, *table.counts(correct)).temperature == pytest.approx(4.35, rel=0.03)


def test_isotonic_has_no_in_sample_calibration_error_on_its_own_levels():
    data = candidates()
    table = score_table(data.probability)
    fitted = fit_isotonic(table.values, *table.counts(data.correct))
    predicted = fitted.predict(data.probability)
    assert (np.diff(fitted.predict(np.sort(data.probability))) >= 0).all()
    for level in np.unique(predicted):
        assert data.correct[predicted == level].mean() == pytest.approx(level, abs=1e-12)


@pytest.mark.parametrize("method", sorted(FITTERS))
@pytest.mark.parametrize("by_agent", [False, True])
def test_predictions_of_a_fold_do_not_depend_on_its_labels(method, by_agent):
    data = candidates()
    fold = (data.cluster % 2).astype(int)
    flipped = replace(data, correct=np.where(fold == 0, ~data.correct, data.correct))
    before, after = cross_fit(method, data, fold, by_agent), cross_fit(method, flipped, fold, by_agent)
    assert (before.predicted[fold == 0] == after.predicted[fold == 0]).all()
    assert (before.predicted[fold == 1] != after.predicted[fold == 1]).any()


def test_temperature_leaves_the_order_inside_each_fold_untouched():
    data = candidates()
    fold = (data.cluster % 2).astype(int)
    scaled = cross_fit("temperature", data, fold).predicted
    raw = within_fold_auroc(data.probability, data.correct, fold)
    assert within_fold_auroc(scaled, data.correct, fold) == raw


def test_recalibration_lowers_the_calibration_error_of_overconfident_scores():
    rng = np.random.default_rng(2)
    data = replace(candidates(), correct=rng.random(4_000) < 0.5)
    fold = (data.cluster % 2).astype(int)
    predicted = cross_fit("isotonic", data, fold).predicted
    raw = bin_index(data.score, 100, 10, "right")
    cooked = bin_index(predicted, 1.0, 10, "right")
    before = ece_measure(data.probability, data.correct, raw, 10, data.cluster, 40).estimate
    after = ece_measure(predicted, data.correct, cooked, 10, data.cluster, 40).estimate
    assert after < 0.2 * before


def test_one_class_in_training_gives_a_reason_and_no_number():
    data = candidates()
    constant = replace(data, correct=data.cluster % 2 == 0)
    found = cross_fit("temperature", constant, (data.cluster % 2).astype(int))
    assert found.reason == "one_class"
    assert np.isnan(found.predicted).all()


def test_noise_floor_is_the_error_of_a_perfectly_calibrated_forecast():
    p = np.repeat([0.25, 0.75], 200)
    bins = bin_index(p, 1.0, 10, "right")
    rng = np.random.default_rng(3)
    draws = [
        ece_measure(p, rng.random(400) < p, bins, 10, np.zeros(400, int), 1).estimate for _ in range(2_000)
    ]
    floor = ece_noise_floor(p, bins, 10, np.random.default_rng(4), repeats=4_000)
    assert floor == pytest.approx(np.mean(draws), rel=0.05)


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from("abc")), min_size=4, unique_by=lambda x: x[0]))
@settings(max_examples=40, deadline=None)
def test_folds_spread_every_tier_and_ignore_row_order(problems):
    names, tiers = [p for p, _ in problems], [t for _, t in problems]
    folds = problem_folds(names, tiers, 2, seed=5)
    backward = problem_folds(names[::-1], tiers[::-1], 2, seed=5)
    assert folds.tolist() == backward[::-1].tolist()
    for tier in set(tiers):
        counts = np.bincount(folds[[t == tier for t in tiers]], minlength=2)
        assert abs(counts[0] - counts[1]) <= 1


def test_auroc_measure_pools_problems_exactly():
    data = candidates()
    table = score_table(data.score)
    assert auroc_measure(table, data.correct, data.cluster, 40).estimate == pytest.approx(
        roc_auc_score(data.correct, data.score), abs=1e-12
    )
