"""What an outcome table may hold, how denominators close, and what replicates add."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from scoring_tables import grid_cells, routes_of

from routeaudit.cover.scoring import noise
from routeaudit.cover.scoring.cells import build_cells
from routeaudit.cover.scoring.contrasts import Contrast, Scored, evaluate_contrasts
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.cover.scoring.sampled import draw_sample
from routeaudit.cover.scoring.scores import score
from routeaudit.errors import InputError
from routeaudit.inference.plan import InferencePlan

PLAN = InferencePlan()
FAMILY = pa.table(
    {"task_id": ["t1", "t1", "t0", "t0"], "team_id": ["a", "b", "a", "b"], "n_workers": [1, 2, 1, 2]}
)


def outcomes(rows, **columns):
    table = {name: [row[i] for row in rows] for i, name in enumerate(("task_id", "team_id", "value"))}
    return pa.table({**table, **columns})


def test_planned_equals_ok_plus_invalid_plus_missing():
    rows = [("t0", "a", 1.0), ("t0", "b", 0.7), ("t1", "a", None)]
    cells = build_cells(FAMILY, outcomes(rows, status=["ok", "invalid_run", "missing"]), "e")
    assert cells.counts == {"planned": 3, "ok": 1, "invalid": 1, "missing": 1, "not_planned": 1}
    assert cells.value[:2].tolist() == [1.0, 0.0]
    assert np.isnan(cells.value[2:]).all()


def test_an_invalid_run_scores_zero_and_a_missing_cell_is_bounded():
    rows = [("t0", "a", None), ("t0", "b", 1.0), ("t1", "a", None), ("t1", "b", 1.0)]
    cells = build_cells(FAMILY, outcomes(rows, status=["invalid_run", "ok", "missing", "ok"]), "e")
    routes = locate_routes(cells, {"p": {"t0": "a", "t1": "a"}})
    rows = {e.metric: e for e in score(cells, routes, "complete", PLAN)}
    assert rows["value"].bounds == (0.0, 0.5)
    assert rows["regret"].bounds == (0.5, 1.0)
    assert math.isnan(rows["regret"].estimate)
    assert rows["regret"].reason == "cells_missing"
    assert rows["regret"].interval.method == "imbens_manski"


@pytest.mark.parametrize(
    ("rows", "columns", "place"),
    [
        ([("t0", "a", 1.0), ("t0", "a", 1.0)], {}, "outcomes: task 't0', team 'a'"),
        ([("t0", "c", 1.0)], {}, "outcomes: task 't0', team 'c'"),
        ([("t9", "a", 1.0)], {}, "outcomes: task 't9', team 'a'"),
        ([("t0", "a", 1.5)], {}, "outcomes: task 't0', team 'a'"),
        ([("t0", "a", None)], {}, "outcomes: task 't0', team 'a'"),
        ([("t1", "b", 1.0)], {"status": ["crashed"]}, "outcomes: task 't1', team 'b'"),
    ],
)
def test_a_table_that_cannot_be_scored_names_its_row(rows, columns, place):
    with pytest.raises(InputError) as error:
        build_cells(FAMILY, outcomes(rows, **columns), "e")
    assert error.value.where == place


def test_a_repeated_family_row_is_an_error():
    with pytest.raises(InputError, match="family: task 't1', team 'a'"):
        build_cells(pa.concat_tables([FAMILY, FAMILY.slice(0, 1)]), outcomes([("t0", "a", 1.0)]), "e")


@pytest.mark.parametrize("chosen", [{"t0": "a"}, {"t0": "a", "t1": "z"}])
def test_a_route_outside_the_legal_family_is_a_contract_violation(chosen):
    cells = build_cells(FAMILY, outcomes([("t0", "a", 1.0)]), "e")
    with pytest.raises(InputError, match="routes of 'p': task 't1'"):
        locate_routes(cells, {"p": chosen})


def test_results_do_not_depend_on_row_order():
    rng = np.random.default_rng(0)
    values = rng.beta(1, 2, (40, 3))
    names = [(f"t{t}", f"a{a}") for t in range(40) for a in range(3)]
    family = pa.table({"task_id": [n[0] for n in names], "team_id": [n[1] for n in names]})
    table = family.append_column("value", pa.array(values.ravel()))
    clusters = {f"t{t}": f"s{t // 1}" for t in range(40)}
    found = []
    for order in (np.arange(120), rng.permutation(120)):
        cells = build_cells(family.take(order[::-1]), table.take(order), "e", clusters)
        routes = locate_routes(
            cells, {"p": {f"t{t}": "a0" for t in range(40)}, "q": {f"t{t}": "a2" for t in range(40)}}
        )
        result = evaluate_contrasts(
            {"e": Scored(cells, routes)}, [Contrast(id="c", policy="p", reference="q", endpoint="e")], PLAN
        )
        found.append((score(cells, routes, "complete", PLAN), result))
    assert found[0] == found[1]


def test_only_the_named_endpoint_is_read():
    rows = [("t0", "a", 1.0), ("t0", "a", 0.0)]
    cells = build_cells(FAMILY, outcomes(rows, endpoint=["raw", "verified"]), "verified")
    assert cells.value[0] == 0.0


def replicated(table):
    """Cells of one task with (A, R) replicate outcomes."""
    teams, runs = np.shape(table)
    names = [(f"a{a}", r) for a in range(teams) for r in range(runs)]
    family = pa.table({"task_id": ["t"] * teams, "team_id": [f"a{a}" for a in range(teams)]})
    rows = [("t", name, float(table[int(name[1:])][r])) for name, r in names]
    return build_cells(family, outcomes(rows, replicate=[r for _, r in names]), "e")


def test_split_replicates_choose_on_one_half_and_score_on_the_other():
    cells = replicated([[1.0, 0.0], [0.0, 0.5]])
    assert noise.plug_in_oracle(cells).tolist() == [0.5]
    assert noise.split_oracle(cells).tolist() == [(0.0 + 0.0) / 2]


def test_replicate_oracles_bracket_the_oracle_of_expectations_on_average():
    rng = np.random.default_rng(1)
    truth = rng.beta(2, 2, (2000, 4))
    runs = (rng.random((2000, 4, 4)) < truth[:, :, None]).astype(float)
    names = [(f"t{t:04d}", f"a{a}", r) for t in range(2000) for a in range(4) for r in range(4)]
    columns = list(zip(*names, strict=True))
    family = pa.table({"task_id": columns[0][::4], "team_id": columns[1][::4]})
    table = pa.table(
        {"task_id": columns[0], "team_id": columns[1], "replicate": columns[2], "value": runs.ravel()}
    )
    cells = build_cells(family, table, "e")
    expected = truth.max(axis=1).mean()
    assert noise.split_oracle(cells).mean() < expected < noise.plug_in_oracle(cells).mean()


def test_a_cell_with_a_missing_replicate_is_missing():
    rows = [("t0", "a", 1.0), ("t0", "a", None)]
    cells = build_cells(FAMILY, outcomes(rows, replicate=[0, 1], status=["ok", "missing"]), "e")
    assert np.isnan(cells.value[0])
    assert noise.split_oracle(cells) is None


def test_contrasts_left_open_by_missing_cells_enter_holm_as_one():
    values = np.array([[1.0, 0.0], [1.0, np.nan]] + [[1.0, 0.0]] * 30)
    cells = grid_cells(values)
    routes = routes_of(cells, {"p": [0] * 32, "q": [1] * 32, "r": [0] + [1] * 31})
    declared = [
        Contrast(id="open", policy="p", reference="q", endpoint="e", in_family=True),
        Contrast(id="known", policy="q", reference="r", endpoint="e", in_family=True),
        Contrast(id="extra", policy="p", reference="r", endpoint="e"),
    ]
    opened, known, extra = evaluate_contrasts({"e": Scored(cells, routes)}, declared, PLAN)
    assert math.isnan(opened.p.p)
    assert opened.adjusted == 1.0
    assert opened.gain.bounds == (31 / 32, 1.0)
    assert known.adjusted == pytest.approx(min(1.0, 2 * known.p.p))
    assert extra.adjusted is None
    assert extra.to_row()["adjusted"] is False


def test_sampled_regime_reports_sampled_regret_and_bounds_of_family_regret():
    values = np.array([[0.0, 0.4, np.nan], [0.5, np.nan, 0.0]])
    cells = grid_cells(values)
    routes = routes_of(cells, {"p": [0, 0]})
    mask = ~np.isnan(values.ravel())
    sample = draw_sample(cells, 2, seed=0)
    rows = {e.metric: e for e in score(cells, routes, "sampled", PLAN, type(sample)(mask, 0, 2))}
    assert rows["sampled_action_regret"].estimate == pytest.approx(0.2)
    assert rows["regret"].bounds == pytest.approx((0.2, 0.75))
    assert rows["best_of_2"].estimate == 0.45


def test_sampled_regime_without_a_sample_is_refused():
    cells = grid_cells([[0.0, 1.0]])
    with pytest.raises(InputError, match="regime 'sampled'"):
        score(cells, routes_of(cells, {"p": [0]}), "sampled", PLAN)


def test_headroom_and_its_share_captured():
    cells = grid_cells([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    rows = {
        (e.subject, e.metric): e
        for e in score(cells, routes_of(cells, {"p": [0, 1, 1, 0]}), "complete", PLAN)
    }
    assert rows["a00", "best_fixed_value"].numerator == 3
    assert rows["family", "headroom"].numerator == 1
    assert rows["family", "informative_tasks"].numerator == 3
    captured = rows["p", "headroom_captured"]
    assert (captured.numerator, captured.denominator, captured.estimate) == (0, 1, 0.0)


def test_no_headroom_is_nan_with_a_reason_not_zero():
    cells = grid_cells([[1.0, 1.0], [0.0, 0.0]])
    rows = {e.metric: e for e in score(cells, routes_of(cells, {"p": [0, 0]}), "complete", PLAN)}
    assert math.isnan(rows["headroom_captured"].estimate)
    assert rows["headroom_captured"].reason == "zero_headroom"
    assert rows["regret"].estimate == 0.0


def test_the_best_fixed_team_is_the_same_workers_whatever_each_task_calls_their_team():
    teams = {"t0": {"g1": ["x"], "g2": ["y"]}, "t1": {"g2": ["x"], "g1": ["y"]}}
    rows = [(task, team, workers) for task, named in teams.items() for team, workers in named.items()]
    family = pa.table(
        {name: [row[i] for row in rows] for i, name in enumerate(("task_id", "team_id", "workers"))}
    )
    values = outcomes([(task, team, float(workers == ["x"])) for task, team, workers in rows])
    cells = build_cells(family, values, "e")
    routes = locate_routes(cells, {"p": {"t0": "g1", "t1": "g1"}})
    found = {(e.subject, e.metric): e for e in score(cells, routes, "complete", PLAN)}
    assert found["x", "best_fixed_value"].numerator == 2
    assert found["family", "headroom"].numerator == 0
