"""The paper's counts, exactly: every printed rate is an integer over the number of tasks (statistics.md G1,
G2).
"""

from __future__ import annotations

import numpy as np
import pytest
from scoring_tables import grid_cells, routes_of, two_policies

from routeaudit.cover.scoring.contrasts import Contrast, Scored, evaluate_contrasts
from routeaudit.cover.scoring.criteria import Criterion, certifying_tasks, judge
from routeaudit.cover.scoring.crossed import CrossedGains, crossed_effects, crossed_gains
from routeaudit.cover.scoring.scores import score
from routeaudit.inference.plan import InferencePlan

PLAN = InferencePlan()


def by_key(estimates):
    return {(e.subject, e.metric): e for e in estimates}


def policy_missing(best: int, tasks: int):
    """One policy that misses the oracle on ``best`` tasks of a complete two-team family."""
    values = np.ones((tasks, 2))
    values[:best, 0] = 0
    cells = grid_cells(values)
    return cells, routes_of(cells, {"policy": [0] * tasks})


@pytest.mark.parametrize(
    ("printed", "count", "tasks"),
    [
        ("0.5320", 266, 500),
        ("0.4020", 201, 500),
        ("0.4660", 233, 500),
        ("0.4240", 212, 500),
        ("0.5540", 277, 500),
        ("0.4540", 227, 500),
        ("0.4860", 243, 500),
        ("0.3133", 94, 300),
        ("0.1100", 33, 300),
    ],
)
def test_complete_family_regret_is_the_printed_count(printed, count, tasks):
    cells, routes = policy_missing(count, tasks)
    regret = by_key(score(cells, routes, "complete", PLAN))["policy", "regret"]
    assert (regret.numerator, regret.denominator) == (count, tasks)
    assert isinstance(regret.numerator, int)
    assert f"{regret.estimate:.4f}" == printed


@pytest.mark.parametrize(
    ("first", "second", "gap", "tasks"), [(266, 201, 65, 500), (277, 212, 65, 500), (94, 33, 61, 300)]
)
def test_regret_gap_equals_value_gap_in_counts(first, second, gap, tasks):
    values = np.ones((tasks, 3))
    values[:first, 0] = 0
    values[tasks - second :, 1] = 0
    cells = grid_cells(values)
    routes = routes_of(cells, {"base": [0] * tasks, "cover": [1] * tasks})
    rows = by_key(score(cells, routes, "complete", PLAN))
    assert rows["base", "regret"].numerator - rows["cover", "regret"].numerator == gap
    result = evaluate_contrasts(
        {"e": Scored(cells, routes)}, [Contrast(id="c", policy="cover", reference="base", endpoint="e")], PLAN
    )[0]
    assert (result.gain.numerator, result.gain.denominator) == (gap, tasks)


@pytest.mark.parametrize(
    ("wins", "losses", "cover", "oracle", "interval", "p"),
    [(87, 30, 245, 275, (37, 77), 1.28e-7), (18, 15, 109, 124, (-8, 14), 0.728)],
)
def test_union_oracle_identities_of_the_llama_table(wins, losses, cover, oracle, interval, p):
    cells, routes = two_policies(wins, losses, cover - wins, 300)
    rows = by_key(score(cells, routes, "route_union", PLAN))
    assert rows["cover", "value"].numerator == cover
    assert rows["loo", "union_regret"].numerator == wins
    assert rows["cover", "union_regret"].numerator == losses
    assert rows["oracle", "union_oracle_value"].numerator == oracle
    declared = Contrast(id="c", policy="cover", reference="loo", endpoint="e", in_family=True)
    result = evaluate_contrasts({"e": Scored(cells, routes)}, [declared], PLAN)[0]
    assert (result.wins, result.losses) == (wins, losses)
    ends = result.gain.interval
    assert (round(ends.lower * 300), round(ends.upper * 300), ends.engine) == (*interval, "exact")
    assert result.p.method == "mcnemar"
    assert result.p.p == pytest.approx(p, rel=0.005)


def test_toolsandbox_fails_the_point_rule_and_fourteen_tasks_cannot_certify_a_pass():
    graded = np.full(14, 0.131)
    cells = grid_cells(np.stack([np.zeros(14), graded], axis=1))
    routes = routes_of(cells, {"router": [0] * 14})
    verdict = judge(Criterion(id="c", policy="router", endpoint="e", threshold=0.10), cells, routes, PLAN)
    assert verdict.point == "fail"
    assert verdict.certifying_tasks == 29
    assert "cannot_certify_at_this_T" in verdict.flags
    assert certifying_tasks(0.10) == 29


def test_criterion_passes_at_equality_in_counts():
    cells, routes = policy_missing(30, 300)
    verdict = judge(Criterion(id="c", policy="policy", endpoint="e", threshold=0.10), cells, routes, PLAN)
    assert verdict.point == "pass"
    assert verdict.bound == "inconclusive"


@pytest.mark.parametrize(("total", "printed"), [(64, "4.57"), (70, "5.00"), (42, "3.00")])
def test_mean_workers_over_fourteen_tasks(total, printed):
    sizes = np.array([3, 4, 5])
    picks = [0] * 14
    for t in range(14):
        while picks[t] < 2 and sum(sizes[p] for p in picks) < total:
            picks[t] += 1
    cells = grid_cells(np.zeros((14, 3)), sizes)
    rows = by_key(score(cells, routes_of(cells, {"p": picks}), "complete", PLAN))
    assert rows["p", "mean_workers"].numerator == total
    assert f"{rows['p', 'mean_workers'].estimate:.2f}" == printed


def crossed_tables():
    """Four stacks with the printed correct counts of leave-one-out and COVER out of 300."""
    counts = {("L", "L"): (145, 150), ("L", "G"): (173, 180), ("G", "L"): (145, 158), ("G", "G"): (166, 177)}
    tables = {}
    for stack, (loo, cover) in counts.items():
        values = np.zeros((300, 2))
        values[:loo, 0], values[:cover, 1] = 1, 1
        cells = grid_cells(values)
        tables[stack] = Scored(cells, routes_of(cells, {"loo": [0] * 300, "cover": [1] * 300}))
    return tables


@pytest.mark.parametrize(
    ("effect", "numerator"),
    [
        ("gain_00", 5),
        ("gain_01", 7),
        ("gain_10", 13),
        ("gain_11", 11),
        ("router_finalizer_0", 2),
        ("router_finalizer_1", -2),
        ("router_finalizer", 0),
        ("router_worker_0", 8),
        ("router_worker_1", 4),
        ("router_worker", 6),
        ("three_way", -4),
        ("main", 9),
    ],
)
def test_crossed_stack_effects_are_the_printed_counts(effect, numerator):
    crossed = crossed_gains(crossed_tables(), "cover", "loo")
    estimate = crossed_effects(crossed, PLAN, margin=0.05)[effect].estimate
    assert round(estimate.estimate * 300 * 4) == numerator * 4
    assert estimate.denominator == 300


def test_crossed_stack_main_effect_is_thirty_six_of_twelve_hundred():
    crossed = crossed_gains(crossed_tables(), "cover", "loo")
    assert int(crossed.gains.sum()) == 36
    assert crossed_effects(crossed, PLAN, margin=0.05)["main"].estimate.estimate == pytest.approx(36 / 1200)


def test_crossed_stack_counts_the_tasks_it_leaves_out():
    tables = crossed_tables()
    values = np.zeros((300, 2))
    values[:150, 1] = 1
    values[7, 0] = np.nan
    cells = grid_cells(values)
    tables["L", "L"] = Scored(cells, tables["L", "L"].routes)
    crossed = crossed_gains(tables, "cover", "loo")
    assert (crossed.gains.shape[0], crossed.excluded) == (299, 1)
    assert "complete_case" in crossed_effects(crossed, PLAN, 0.05)["main"].estimate.flags


def test_a_gain_that_is_not_detected_is_not_thereby_equivalent():
    rng = np.random.default_rng(0)
    gains = rng.choice([-1, 0, 1], size=(40, 4), p=[0.3, 0.4, 0.3]).astype(float)
    effect = crossed_effects(CrossedGains(("L", "G"), ("L", "G"), gains, None, 0), PLAN, 0.02)[
        "router_worker"
    ]
    assert effect.p.p > 0.05
    assert not effect.equivalence.equivalent
    assert effect.detectable > 0.02
