"""Trace summaries, modes and the check of judges' margins on a simulated deliberation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deliberation_traces import simulate

from routeaudit.deliberation.commitment.axis import commitment_axis, judge_verdicts
from routeaudit.deliberation.commitment.pairs import build_pairs, visible_candidates
from routeaudit.deliberation.dataset import build_dataset
from routeaudit.deliberation.judges import agreement
from routeaudit.deliberation.linkage.models import (
    COLLAPSED,
    SPLIT,
    correctness_model,
    linkage_models,
    problem_difficulty,
    trace_summary,
)
from routeaudit.deliberation.modes import mode_rows
from routeaudit.deliberation.trace import SCHEMAS, Trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    return simulate(problems=90)


@pytest.fixture(scope="module")
def data(trace):
    return build_dataset(trace)


@pytest.fixture(scope="module")
def table(data, trace):
    return build_pairs(data, trace)


def test_trace_summary_keeps_every_trace_and_its_identity(data, table, trace):
    found = trace_summary(data, table, trace)
    assert len(found) == trace.outcomes.to_pandas()["trace"].nunique()
    slack = found["pool_solvable_rate"] - found["selected_correct_rate"]
    assert np.allclose(slack, found["routing_slack"])
    assert not found.drop(columns="selected_confidence").isna().any().any()


def test_a_trace_without_pairs_has_rates_zero_and_an_indicator(data, table, trace):
    silent = trace.speaks["trace"][0].as_py()
    mute = replace(trace, speaks=trace.speaks.filter(pc.not_equal(trace.speaks["trace"], silent)))
    found = trace_summary(data, build_pairs(data, mute), mute)
    assert found.loc[silent, ["divergence_rate", "improvement_rate", "degradation_rate"]].tolist() == [
        0,
        0,
        0,
    ]
    assert found["no_pairs"].sum() == 1


def planted_summary(n: int = 800) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    pool = rng.random(n)
    frame = pd.DataFrame({name: rng.random(n) for name in {*COLLAPSED, *SPLIT, "selected_confidence"}})
    frame["pool_solvable_rate"] = pool
    frame["selected_correct_rate"] = pool * rng.random(n)
    frame["routing_slack"] = pool - frame["selected_correct_rate"]
    frame["no_pairs"] = (rng.random(n) < 0.1).astype(float)
    frame["cluster"] = np.arange(n) // 8
    frame["passed"] = rng.random(n) < 1 / (1 + np.exp(-4 * (pool - 0.5)))
    return frame


def test_linkage_finds_the_planted_predictor_in_both_specifications():
    fits = {fit.model: fit for fit in linkage_models(planted_summary())}
    assert set(fits) == {
        "linkage",
        "linkage_split",
        "linkage+selected_confidence",
        "linkage_split+selected_confidence",
        "linkage+no_pairs",
    }
    terms = {t.name: t for t in fits["linkage"].terms}
    assert terms["pool_solvable_rate"].p < 1e-6
    assert all(t.p > 1e-3 for name, t in terms.items() if name not in ("const", "pool_solvable_rate"))
    assert {t.name for t in fits["linkage_split"].terms} == {"const", *SPLIT}


def test_difficulty_is_the_recorded_one_else_a_numeric_tier_else_unknown(data):
    unknown = np.full(len(data.problems.uid), np.nan)
    recorded = problem_difficulty(data.problems)
    assert set(recorded) == {1.0, 2.0, 3.0}
    assert (problem_difficulty(replace(data.problems, difficulty=unknown)) == recorded).all()
    words = replace(data.problems, difficulty=unknown, tier=("hard",) * len(unknown))
    assert problem_difficulty(words) is None
    terms = [t.name for t in correctness_model(replace(data, problems=words)).terms]
    assert terms == ["const", "score", "round", "agent[ben]", "agent[cyd]"]


def test_mode_rows_give_rates_and_ratios_to_the_single_agent(trace):
    rows = {row.mode: row for row in mode_rows(trace)}
    assert rows["broadcast"].ratios == {"tokens": 4.0, "calls": 4.0, "seconds": 4.0}
    assert rows["single_agent"].ratios["tokens"] == 1.0
    runs = trace.outcomes.to_pandas()
    passed = runs.loc[runs["mode"] == "broadcast", "passed"].astype(bool)
    assert rows["broadcast"].pass_rate == passed.mean()


def test_unknown_costs_stay_unknown(trace):
    outcomes = trace.outcomes.to_pandas().assign(tokens=None)
    blank = pa.Table.from_pandas(outcomes, schema=SCHEMAS["outcomes"].fields, preserve_index=False)
    row = mode_rows(replace(trace, outcomes=blank))[0]
    assert np.isnan(row.means["tokens"])
    assert row.means["calls"] > 0


def test_judge_margins_hold_on_consistent_verdicts(data, table, trace):
    axis = commitment_axis(table, data.blocks, trace)
    (pair,) = axis.judge_pairs
    assert all(margin.holds for margin in pair.margins)
    assert pair.table.decided + pair.table.undecided == axis.n_residual
    assert pair.kappa.estimate == pytest.approx(agreement(pair.table).kappa, abs=1e-12)
    assert pair.kappa.denominator == pair.table.decided


@pytest.mark.concurrent
def test_exchanged_judges_are_caught_by_the_logged_total(data, table, trace):
    names = {"judge-a": "judge-b", "judge-b": "judge-a"}
    rows = trace.verdicts.to_pandas()
    exchanged = rows.assign(judge=rows["judge"].map(names))
    swapped = pa.Table.from_pandas(exchanged, schema=SCHEMAS["verdicts"].fields, preserve_index=False)
    axis = commitment_axis(table, data.blocks, replace(trace, verdicts=swapped))
    (pair,) = axis.judge_pairs
    logged = next(margin for margin in pair.margins if margin.judge == "judge-a")
    assert not logged.holds


def test_pairs_that_no_judge_was_asked_about_are_undecided(data, table, trace):
    few = replace(trace, verdicts=trace.verdicts.slice(0, 10))
    verdicts = judge_verdicts(table, few)
    assert sum(int((v >= 0).sum()) for v in verdicts.values()) <= 10


def test_invalid_selected_polls_form_no_pair(data, trace):
    table = build_pairs(data, trace)
    assert len(table.block) + sum(table.excluded.values()) == data.blocks.n_blocks
    assert data.blocks.valid[data.blocks.offsets[table.block] + data.blocks.selected[table.block]].all()


def test_the_incumbent_stays_visible_when_the_memory_window_drops_it(data, table, trace):
    blocks = trace.blocks.to_pandas()
    blocks["public_seen"] = [list(seen)[-1:] for seen in blocks["public_seen"]]
    window = replace(
        trace, blocks=pa.Table.from_pandas(blocks, schema=SCHEMAS["blocks"].fields, preserve_index=False)
    )
    rows = visible_candidates(data, window, table)
    full = visible_candidates(data, trace, table)
    shown = set(rows["pair"])
    assert shown == set(full["pair"])
    late = rows.groupby("pair").size()
    assert late.max() == 2
    assert (rows.loc[rows["role"] == "incumbent", "most_recent"] == 0).any()


def test_the_role_of_a_visible_answer_follows_the_precedence_of_the_classes(data, table, trace):
    rows = visible_candidates(data, trace, table)
    adopted = rows[rows["adopted"] == 1].groupby("pair")["role"].agg(set)
    for pair, roles in adopted.items():
        if "self-prior-speak" in roles:
            assert table.flags.own[pair]
        elif "incumbent" in roles:
            assert table.flags.incumbent[pair]
        else:
            assert table.flags.peer[pair]
