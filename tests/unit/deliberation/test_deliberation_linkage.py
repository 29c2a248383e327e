"""The logit equals its textbook sandwich and says when it must not be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from routeaudit.deliberation.linkage.logit import fit_logit, standardised


def planted(n: int = 3_000, problems: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, problems, n)
    x = pd.DataFrame(
        {"a": rng.standard_normal(n), "b": rng.random(n) + 0.3 * rng.standard_normal(problems)[cluster]}
    )
    y = rng.random(n) < 1 / (1 + np.exp(-(0.5 + 1.2 * x["a"] - 0.8 * x["b"])))
    return y.to_numpy(float), x, cluster


def sandwich(y, x, cluster):
    """Newton and the cluster sandwich by hand, c = G/(G-1) (n-1)/(n-k)."""
    design = np.column_stack([np.ones(len(y)), x.to_numpy()])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ beta))
        hessian = design.T @ (design * (p * (1 - p))[:, None])
        beta = beta + np.linalg.solve(hessian, design.T @ (y - p))
    score = design * (y - p)[:, None]
    groups = np.unique(cluster)
    summed = np.array([score[cluster == g].sum(axis=0) for g in groups])
    n, k = design.shape
    c = len(groups) / (len(groups) - 1) * (n - 1) / (n - k)
    inverse = np.linalg.inv(hessian)
    return beta, np.sqrt(np.diag(c * inverse @ summed.T @ summed @ inverse))


def test_coefficients_and_cluster_errors_equal_the_hand_made_sandwich():
    y, x, cluster = planted()
    fit = fit_logit("m", y, x, cluster)
    beta, se = sandwich(y, x, cluster)
    assert [t.beta for t in fit.terms] == pytest.approx(beta, abs=1e-8)
    assert [t.se for t in fit.terms] == pytest.approx(se, abs=1e-8)
    assert (fit.clusters, fit.reference, fit.flags) == (120, "normal", ())


def test_few_problems_use_the_t_reference():
    y, x, cluster = planted(problems=12)
    fit = fit_logit("m", y, x, cluster)
    assert fit.reference == "t(11)"
    assert (fit.terms[1].upper - fit.terms[1].beta) / fit.terms[1].se == pytest.approx(2.200985, abs=1e-5)


def test_perfect_separation_gives_a_reason_and_no_terms():
    _, x, cluster = planted()
    fit = fit_logit("m", (x["a"] > 0).to_numpy(float), x, cluster)
    assert (fit.terms, fit.reason) == ((), "separation")


def test_near_separation_is_flagged():
    rng = np.random.default_rng(1)
    x = pd.DataFrame({"a": rng.standard_normal(2_000)})
    y = (x["a"] + 0.1 * rng.standard_normal(2_000) > 0).to_numpy(float)
    fit = fit_logit("m", y, x, np.arange(2_000) % 60)
    assert {"near_separation:beta_per_sd", "near_separation:mcfadden"} <= set(fit.flags)


def test_an_identity_among_predictors_is_refused_by_name():
    y, x, cluster = planted()
    fit = fit_logit("m", y, x.assign(slack=x["a"] - x["b"]), cluster)
    assert (fit.reason, fit.flags) == ("collinear_predictors", ("collinear:slack",))


def test_a_constant_predictor_is_dropped_and_named():
    y, x, cluster = planted()
    fit = fit_logit("m", y, x.assign(tier=3.0), cluster)
    assert fit.flags == ("constant:tier",)
    assert [t.name for t in fit.terms] == ["const", "a", "b"]


def test_one_outcome_class_gives_a_reason():
    y, x, cluster = planted()
    assert fit_logit("m", np.ones_like(y), x, cluster).reason == "one_class"


def test_standardised_columns_have_population_scale():
    frame, dropped = standardised(pd.DataFrame({"a": [1.0, 2.0, 3.0], "c": [4.0, 4.0, 4.0]}))
    assert dropped == ("constant:c",)
    assert frame["a"].std(ddof=0) == pytest.approx(1)


def test_as_many_rows_as_coefficients_are_no_fit() -> None:
    predictors = pd.DataFrame({"a": [0.0, 1.0, 3.0], "b": [1.0, 0.0, 5.0]})
    fit = fit_logit("tiny", np.array([0.0, 1.0, 1.0]), predictors, np.array([0, 1, 2]))
    assert (fit.terms, fit.reason) == ((), "no_more_rows_than_coefficients")
