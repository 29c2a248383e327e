"""p-values are fine enough for the family they enter, by default."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from routeaudit.cover.scoring.contrasts import Contrast, evaluate_differences
from routeaudit.inference.infer import infer_means
from routeaudit.inference.multiplicity import holm
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.studentized_tail import studentized_tail

PLAN = InferencePlan(seed=1)


def pair_differences(policies: int, tasks: int, seed: int, equal: bool = False) -> np.ndarray:
    """Differences (T, pairs) of graded policies that share task difficulty."""
    rng = np.random.default_rng(seed)
    level = np.full(policies, 0.5) if equal else rng.uniform(0.05, 0.95, policies)
    noise = rng.normal(0, 0.08, (tasks, 1)) + rng.normal(0, 0.12, (tasks, policies))
    outcomes = np.clip(level + noise, 0, 1)
    one, other = np.triu_indices(policies, 1)
    return outcomes[:, one] - outcomes[:, other]


def declared(count: int) -> list[Contrast]:
    return [
        Contrast(id=f"c{i}", policy="p", reference="q", endpoint="e", in_family=True) for i in range(count)
    ]


def paired_t_rejections(values: np.ndarray) -> int:
    p = stats.ttest_1samp(values, 0.0).pvalue
    return int((holm(p) <= 0.05).sum())


def test_a_family_of_16290_contrasts_rejects_what_paired_t_with_holm_rejects():
    values = pair_differences(181, 41, seed=1)
    results = evaluate_differences(declared(values.shape[1]), values, PLAN)
    rejected = sum(result.adjusted <= 0.05 for result in results)
    assert rejected == pytest.approx(paired_t_rejections(values), rel=0.03)
    assert sum(result.max_t <= 0.05 for result in results) >= rejected
    assert {result.p.engine for result in results} == {"mc", "saddlepoint"}


def test_a_null_family_of_16290_contrasts_rejects_next_to_nothing():
    values = pair_differences(181, 41, seed=3, equal=True)
    results = evaluate_differences(declared(values.shape[1]), values, PLAN)
    assert sum(result.adjusted <= 0.05 for result in results) <= 3


def test_the_smallest_p_is_finer_than_the_family_needs_and_the_sealed_rule_keeps_its_floor():
    values = np.random.default_rng(0).normal(0.5, 0.1, (41, 1))
    plan = replace(PLAN, tests=16_290)
    resolved = infer_means(values, "difference", plan)[0].p
    sealed = infer_means(values, "difference", replace(plan, tail="monte_carlo"))[0].p
    assert 0 < resolved.p <= plan.resolution
    assert (resolved.engine, sealed.engine, sealed.p) == ("saddlepoint", "mc", 1e-4)


def test_a_small_family_keeps_its_monte_carlo_p():
    values = pair_differences(3, 41, seed=1)
    for found, again in zip(
        infer_means(values, "difference", replace(PLAN, tests=3)),
        infer_means(values, "difference", replace(PLAN, tests=3, tail="monte_carlo")),
        strict=True,
    ):
        assert found.p == again.p


@pytest.mark.parametrize(
    ("law", "units"),
    # Fourteen values of which five are equal have a law with atoms: there the replicates set a lower limit.
    [("normal", 14), ("skewed", 14), ("normal", 41), ("skewed", 41), ("zero-inflated", 41)],
)
def test_the_saddlepoint_tail_equals_brute_force_resampling(law, units):
    rng = np.random.default_rng(7)
    draws = {
        "normal": rng.normal(size=units),
        "skewed": rng.beta(1, 5, units),
        "zero-inflated": np.where(rng.random(units) < 0.4, 0.0, rng.normal(size=units)),
    }[law]
    residuals = draws - draws.mean()
    picked = rng.integers(0, units, (1_000_000, units), dtype=np.int32)
    resampled = residuals[picked]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(resampled.mean(axis=1) / (resampled.std(axis=1, ddof=1) / np.sqrt(units)))
    for level in (1e-2, 1e-3, 1e-4):
        cut = float(np.quantile(t, 1 - level))
        found = studentized_tail(residuals[:, None], np.array([cut]))[0]
        assert found == pytest.approx(float((t >= cut).mean()), rel=0.5)


def test_the_tail_is_a_probability_for_any_data():
    rng = np.random.default_rng(2)
    sparse = np.where(rng.random((8, 300)) < 0.6, 0.0, rng.normal(size=(8, 300)))
    sparse[0] += 1e-3
    residuals = sparse - sparse.mean(axis=0)
    for t in (0.5, 3.0, 30.0, 1e6):
        found = studentized_tail(residuals, np.full(300, t))
        assert ((found > 0) & (found <= 1)).all()
