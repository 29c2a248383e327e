"""The audit of whole traces: planted behaviour is found, missing stages are refused, the card is complete."""

from __future__ import annotations

import argparse
import copy
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deliberation_traces import simulate

from places import real_data
from routeaudit.cli import audit as command
from routeaudit.deliberation.audit import run_audit
from routeaudit.deliberation.card import build_card, check_card
from routeaudit.deliberation.card_schema import card_schema
from routeaudit.deliberation.commitment.pairs import build_pairs, visible_candidates
from routeaudit.deliberation.dataset import build_dataset
from routeaudit.deliberation.settings import AuditSettings, ValidityRule
from routeaudit.deliberation.trace import SCHEMAS, Trace, read_trace, write_trace
from routeaudit.errors import InputError
from routeaudit.report.audit import audit_page
from routeaudit.report.page import render_page

QUICK = AuditSettings(resamples=199, permutations=19, oracle_repeats=5, noise_floor_repeats=20)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return simulate()


@pytest.fixture(scope="module")
def result(trace):
    return run_audit(trace, QUICK)


@pytest.fixture(scope="module")
def card(result):
    return build_card(result)


def changed(trace: Trace, table: str, column: str, values: list) -> Trace:
    old = getattr(trace, table)
    index = old.column_names.index(column)
    return replace(
        trace,
        **{
            table: old.set_column(
                index, old.schema.field(index), pa.array(values, old.schema.field(index).type)
            )
        },
    )


def named(estimates, metric):
    return next(e for e in estimates if e.metric == metric)


def test_pooled_metrics_equal_counts_taken_straight_from_the_tables(trace, result):
    polls = trace.polls.to_pandas()
    valid = polls[polls["parse_ok"] & polls["has_candidate"]]
    assert result.totals.valid_candidates == len(valid)
    raw = result.calibration["raw"]
    assert named(raw, "accuracy").numerator == int(valid["correct"].astype(bool).sum())
    assert named(raw, "mean_confidence").estimate == pytest.approx(valid["score_raw"].mean() / 100)
    speaks = trace.speaks.to_pandas()
    assert named(result.commitment, "PSDR").numerator == int(speaks["divergent"].astype(bool).sum())
    assert result.counted.selection_mismatches == 0
    assert result.totals.blocks == trace.selections.num_rows


def test_planted_overconfidence_and_harder_tiers_are_found(result):
    raw = result.calibration["raw"]
    assert named(raw, "mean_confidence").estimate - named(raw, "accuracy").estimate > 0.15
    errors = [named(result.per_tier[tier], "ECE").estimate for tier in ("01", "02", "03")]
    assert errors == sorted(errors)
    assert named(result.calibration["isotonic"], "ECE").estimate < 0.5 * named(raw, "ECE").estimate


def test_row_order_of_the_tables_changes_nothing(trace, result):
    rng = np.random.default_rng(0)
    shuffled = replace(
        trace, **{name: t.take(pa.array(rng.permutation(t.num_rows))) for name, t in trace.tables().items()}
    )
    data, again = build_dataset(trace), build_dataset(shuffled)
    assert (data.blocks.score == again.blocks.score).all()
    assert (data.blocks.selected == again.blocks.selected).all()
    assert data.problems.uid == again.problems.uid


def test_the_same_trace_and_settings_give_the_same_card(trace, card):
    assert build_card(run_audit(trace, QUICK)) == card


def test_a_trace_survives_writing_and_reading(trace, tmp_path, card):
    write_trace(tmp_path, trace)
    assert build_card(run_audit(read_trace(tmp_path), QUICK)) == card


def test_every_metric_of_the_card_has_its_denominator(card):
    broken = copy.deepcopy(card)
    del broken["metrics"]["routing"][0]["denominator"]
    with pytest.raises(InputError, match="denominator"):
        check_card(broken)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("protocol", "tie_rule"), None),
        (("metrics", "commitment", 0, "denominator"), 0),
        (("metrics", "calibration", "raw", 0, "estimate"), None),
        (("not_measured",), [{"stage": "speaks", "metrics": [], "reason": "none"}]),
        (("card_version",), "9"),
    ],
)
def test_the_schema_refuses_incomplete_cards(card, place, value):
    broken = copy.deepcopy(card)
    target = broken
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    with pytest.raises(InputError):
        check_card(broken)


def test_card_schema_file_is_the_schema_of_the_code(root, request):
    path = root / "workflow" / "schemas" / "trace_audit_card.schema.json"
    text = json.dumps(card_schema(), indent=1, sort_keys=True) + "\n"
    if request.config.getoption("--fix"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("missing", "stage", "metric"),
    [
        ("speaks", "speaks", "PSDR"),
        ("outcomes", "outcomes", "outcome linkage"),
        ("verdicts", "verdicts", "judge agreement"),
        ("selections", "selections", "selection mismatches"),
    ],
)
def test_a_missing_stage_is_listed_with_its_metrics_and_a_reason(trace, missing, stage, metric):
    found = build_card(run_audit(replace(trace, **{missing: None}), QUICK))
    gap = next(gap for gap in found["not_measured"] if gap["stage"] == stage)
    assert metric in gap["metrics"]
    assert gap["reason"]
    if missing == "speaks":
        assert found["metrics"]["commitment"] == []


def test_unknown_answers_refuse_the_votes_and_keep_the_rest(trace):
    blank = changed(trace, "polls", "answer_norm", [None] * trace.polls.num_rows)
    found = run_audit(blank, QUICK)
    assert "majority_vote" not in found.rules
    assert any(gap.stage == "answers" for gap in found.gaps)
    assert "random_valid" in found.rules


def test_a_logged_selection_that_is_not_the_argmax_is_counted(trace):
    agents = trace.selections["agent"].to_pylist()
    agents[0] = "ada" if agents[0] != "ada" else "ben"
    found = run_audit(changed(trace, "selections", "agent", agents), QUICK)
    assert found.counted.selection_mismatches == 1
    assert any("1 blocks" in text for text in build_card(found)["cautions"])


def test_unlabelled_candidates_are_left_out_and_bounded(trace, result):
    labels = trace.polls["correct"].to_pylist()
    labels[:60] = [None] * 60
    found = run_audit(changed(trace, "polls", "correct", labels), QUICK)
    assert 0 < found.counted.unlabelled <= 60
    for metric in ("CRA", "HRWP"):
        low, high = found.label_bounds[metric]
        assert low <= named(result.routing, metric).estimate <= high
        assert low <= named(found.routing, metric).estimate <= high
    assert found.totals.valid_candidates < result.totals.valid_candidates


def test_scores_outside_the_scale_are_invalid_unless_the_check_is_switched_off(trace):
    scores = trace.polls["score_raw"].to_pylist()
    where = next(i for i, s in enumerate(scores) if s is not None)
    scores[where] = -100100.0
    odd = changed(trace, "polls", "score_raw", scores)
    strict = run_audit(odd, QUICK)
    assert strict.counted.out_of_range == 1
    loose = run_audit(odd, replace(QUICK, validity=ValidityRule(check_range=False)))
    assert loose.totals.valid_candidates - strict.totals.valid_candidates in (0, 1)
    if loose.totals.valid_candidates > strict.totals.valid_candidates:
        assert loose.calibrators == ()
        assert any(gap.stage == "scores" for gap in loose.gaps)


def test_visible_candidates_are_the_public_answers_seen_before_the_speech(trace):
    data = build_dataset(trace)
    table = build_pairs(data, trace)
    rows = visible_candidates(data, trace, table)
    speaks = trace.speaks.to_pandas().set_index(["trace", "round", "turn"])
    blocks = trace.blocks.to_pandas().set_index(["trace", "round", "turn"])
    for pair, part in rows.groupby("pair"):
        own = table.rows.loc[pair]
        key = (own["trace"], own["round"], own["turn"])
        seen = [tuple(map(int, event.split("."))) for event in blocks.loc[key, "public_seen"]]
        answers = [speaks.loc[(own["trace"], *event), "spoken_norm"] for event in seen]
        assert sorted(part["adopted"]) == sorted(float(a == own["spoken_norm"]) for a in answers)
        assert part["most_recent"].sum() == 1


def test_recorded_match_flags_agree_with_the_public_history(trace):
    data = build_dataset(trace)
    table = build_pairs(data, trace)
    rows = visible_candidates(data, trace, table)
    adopted = (
        rows.groupby("pair")["adopted"].max().reindex(np.flatnonzero(table.pairs.divergent), fill_value=0.0)
    )
    any_flag = (table.flags.own | table.flags.incumbent | table.flags.peer)[table.pairs.divergent]
    assert (adopted.to_numpy(bool) == any_flag).all()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda t: replace(t, blocks=t.blocks.slice(1)), "a row of blocks"),
        (
            lambda t: changed(t, "selections", "agent", ["nobody"] * t.selections.num_rows),
            "polled in that block",
        ),
        (lambda t: changed(t, "blocks", "tier", [str(i) for i in range(t.blocks.num_rows)]), "one tier"),
        (lambda t: replace(t, polls=t.polls.slice(0, 0)), "at least one poll"),
    ],
)
def test_contradictions_between_tables_name_the_row(trace, damage, told):
    with pytest.raises(InputError, match=told):
        run_audit(damage(trace), QUICK)


def test_model_text_cannot_enter_the_page_as_markup(trace):
    evil = changed(trace, "blocks", "tier", ["<script>alert(1)</script>"] * trace.blocks.num_rows)
    found = run_audit(replace(evil, meta=replace(evil.meta, protocol={"agent_model": "<img src=x>"})), QUICK)
    page = render_page(audit_page(found, build_card(found)))
    assert "<script>alert" not in page
    assert "<img" not in page


def test_degenerate_traces_give_reasons_and_no_crash(trace):
    n = trace.polls.num_rows
    for labels in ([True] * n, [False] * n, [None] * n):
        found = build_card(run_audit(changed(trace, "polls", "correct", labels), QUICK))
        for metric in found["metrics"]["routing"]:
            assert metric["estimate"] is not None or metric["reason"]
    one = pc.equal(trace.blocks["problem_uid"], "p000")
    keep = set(trace.blocks.filter(one)["trace"].to_pylist())
    small = replace(
        trace,
        **{k: t.filter(pc.is_in(t["trace"], pa.array(sorted(keep)))) for k, t in trace.tables().items()},
    )
    assert build_card(run_audit(small, QUICK))["totals"]["problems"] == 1


# --- the command -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> Trace:
    return simulate(problems=6, traces=1)


def run_command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers(required=True))
    quick = ["--resamples", "199", "--permutations", "19"]
    arguments = parser.parse_args(["audit", *words, *quick])
    return arguments.run(arguments)


def test_command_audits_a_folder_and_writes_card_and_pages(small, tmp_path):
    write_trace(tmp_path / "t", small)
    assert run_command(str(tmp_path / "t"), "--out", str(tmp_path / "out")) == 0
    check_card(json.loads((tmp_path / "out" / "card.json").read_text()))
    assert "Trace audit of t" in (tmp_path / "out" / "audit.html").read_text()
    assert (tmp_path / "out" / "card.html").exists()


def test_command_audits_a_grid_of_folders(small, tmp_path):
    for name in ("a", "b"):
        write_trace(tmp_path / "grid" / name, small)
    assert run_command(str(tmp_path / "grid"), "--out", str(tmp_path / "out")) == 0
    page = (tmp_path / "out" / "grid.html").read_text()
    assert 'href="a/audit.html"' in page
    assert (tmp_path / "out" / "b" / "card.json").exists()


def candidates_csv(path, rows: list[str], header: str = "problem_uid,agent,score,correct") -> str:
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def test_command_audits_one_csv_of_candidates(tmp_path):
    rows = [f"q{i},m{j},{50 + 10 * j},{int((i + j) % 3 == 0)}" for i in range(50) for j in range(3)]
    rows[0] = "q0,m0,,1"
    path = candidates_csv(tmp_path / "c.csv", rows)
    assert run_command(path, "--scale", "100", "--out", str(tmp_path / "out")) == 0
    found = json.loads((tmp_path / "out" / "card.json").read_text())
    assert found["totals"]["blocks"] == 50
    assert found["invalid_polls"]["unparsed"] == 1
    assert {gap["stage"] for gap in found["not_measured"]} >= {"speaks", "selections", "outcomes", "tiers"}


@pytest.mark.parametrize(
    ("header", "row", "told"),
    [
        ("problem_uid,agent,score", "q,m,5", "no column correct"),
        ("problem_uid,agent,score,correct", "q,m,high,1", "c.csv:2, column 'score'"),
        ("problem_uid,agent,score,correct", "q,m,5,maybe", "c.csv:2, column 'correct'"),
        ("problem_uid,agent,score,correct", "q,,5,1", "c.csv:2, column 'agent'"),
        ("problem_uid,agent,score,correct", "q,m,5,1\nq,m,6,1", "c.csv:3, column 'agent'"),
    ],
)
def test_bad_csv_input_names_line_and_column(tmp_path, header, row, told):
    path = candidates_csv(tmp_path / "c.csv", [row], header)
    with pytest.raises(InputError, match=told):
        run_command(path, "--scale", "100", "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_csv_without_scale_is_refused(tmp_path):
    path = candidates_csv(tmp_path / "c.csv", ["q,m,0.5,1"])
    with pytest.raises(InputError, match="--scale 1"):
        run_command(path, "--out", str(tmp_path / "out"))


def test_a_folder_of_another_schema_version_is_refused(trace, tmp_path):
    write_trace(tmp_path, trace)
    meta = json.loads((tmp_path / "trace.json").read_text())
    (tmp_path / "trace.json").write_text(json.dumps({**meta, "schema_version": "0"}))
    with pytest.raises(InputError, match="schema_version 1"):
        read_trace(tmp_path)


def test_every_trace_table_declares_a_key():
    assert all(schema.key for schema in SCHEMAS.values())


@pytest.mark.realdata
def test_honest_kks_row_keeps_the_impossible_score_out(tmp_path):
    rows = pd.read_csv(real_data("controlmad_kks") / "baseline_13x100.csv")
    frame = pd.DataFrame(
        {
            "problem_uid": rows["game_id"].astype(str),
            "agent": rows["model"],
            "score": rows["confidence"],
            "correct": rows["all_correct"].fillna(0).astype(int),
            "parse_ok": rows["parsed"].astype(int),
        }
    )
    frame.to_csv(tmp_path / "kks.csv", index=False)
    cards = {}
    for name, extra in (("honest", []), ("unchecked", ["--no-range-check"])):
        run_command(str(tmp_path / "kks.csv"), "--scale", "100", "--out", str(tmp_path / name), *extra)
        cards[name] = json.loads((tmp_path / name / "card.json").read_text())
    honest, unchecked = cards["honest"], cards["unchecked"]
    assert honest["invalid_polls"]["out_of_range"] == 1
    assert honest["invalid_polls"]["unparsed"] == 66
    assert (honest["totals"]["valid_candidates"], unchecked["totals"]["valid_candidates"]) == (1_233, 1_234)
    assert unchecked["metrics"]["calibration"] == {}
    assert "scores" in {gap["stage"] for gap in unchecked["not_measured"]}
    rates = {m["metric"]: round(m["estimate"], 3) for m in unchecked["metrics"]["routing"]}
    assert [rates[name] for name in ("HRWP", "MCR", "PCCA", "CTR")] == [0.890, 0.110, 0.648, 0.378]
    fair = {m["metric"]: round(m["estimate"], 3) for m in honest["metrics"]["routing"]}
    assert [fair[name] for name in ("HRWP", "MCR", "PCCA", "CTR")] == [0.890, 0.110, 0.648, 0.379]


def test_the_page_on_traces_names_every_column(root):
    page = (root / "docs" / "traces.md").read_text(encoding="utf-8")
    for name, schema in SCHEMAS.items():
        assert f"| `{name}` |" in page
        assert all(f"`{column}`" in page for column in schema.fields.names), name


def test_a_rule_that_cannot_be_fitted_is_listed_with_its_reason(trace):
    labels = trace.polls["correct"].to_pylist()
    agents = trace.polls["agent"].to_pylist()
    never = [
        False if who == "ada" and label is not None else label
        for who, label in zip(agents, labels, strict=True)
    ]
    found = build_card(run_audit(changed(trace, "polls", "correct", never), QUICK))
    gap = next(gap for gap in found["not_measured"] if gap["stage"] == "fit")
    assert gap["metrics"] == ["calibrated_by_agent_argmax"]
    assert gap["reason"] == "a training fold holds one class only"
