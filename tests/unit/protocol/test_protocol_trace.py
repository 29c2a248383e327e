"""The recorded trace: replay, resume, shards, digests of what was seen, labels and judges, baselines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scripted_agents import WRONG, audited, cell, played, problems, rows

from routeaudit.config.deliberation import JudgeConfig
from routeaudit.config.models import ReplayModel
from routeaudit.deliberation.audit import trace_digests
from routeaudit.deliberation.card import build_card
from routeaudit.deliberation.protocol.describe import trace_meta
from routeaudit.deliberation.protocol.learned import fit_weights
from routeaudit.deliberation.protocol.recording import joined
from routeaudit.deliberation.protocol.study import problem_shard, replay_cell, run_cell
from routeaudit.deliberation.trace import read_trace, write_trace
from routeaudit.errors import InputError

pytestmark = pytest.mark.concurrent

AGENTS: Mapping[str, Any] = {
    "a1": {"answer": "Paris", "score": 90, "spoken": "the paris"},
    "a2": {"answer": "Rome", "score": 70},
    "a3": {"answer": WRONG, "score": 10},
}
WHOLE = {"max_rounds": 2, "discussion_turns": 2, "approval_rounds": 1}


def test_replay_from_the_journal_alone_gives_the_same_digests(tmp_path: Path) -> None:
    made = cell(
        dict(AGENTS), judges={"j1": ["rome", "paris"]}, modes=["baseline_llm", "single_agent"], schedule=WHOLE
    )
    recorded = played(made, problems(5), tmp_path / "journal")
    write_trace(tmp_path / "trace", recorded)
    again = replay_cell(made, problems(5), tmp_path / "journal", "replay")
    assert trace_digests(again) == trace_digests(recorded) == trace_digests(read_trace(tmp_path / "trace"))
    assert again.meta == recorded.meta


def test_replay_does_not_miss_a_judge_that_was_never_asked(tmp_path: Path) -> None:
    agents = {name: {"answer": "Paris", "score": 50} for name in ("a1", "a2", "a3")}
    made = cell(agents, judges={"j1": []})
    recorded = played(made, problems(2), tmp_path)
    assert trace_digests(replay_cell(made, problems(2), tmp_path, "replay")) == trace_digests(recorded)


def test_the_replay_backend_gives_the_same_digests(tmp_path: Path) -> None:
    made = cell(dict(AGENTS), schedule=WHOLE)
    recorded = played(made, problems(3), tmp_path)
    pool = made.pool.model_copy(update={"model": ReplayModel(backend="replay", model="scripted")})
    again = played(type(made)(made.benchmark, pool, made.protocol, made.baselines, {}), problems(3), tmp_path)
    assert trace_digests(again) == trace_digests(recorded)


def test_replay_without_the_journal_names_a_missing_request(tmp_path: Path) -> None:
    made = cell(dict(AGENTS))
    played(made, problems(1), tmp_path / "journal")
    with pytest.raises(InputError, match="a finished request in the journal"):
        replay_cell(made, problems(2), tmp_path / "journal", "replay")


def test_a_torn_journal_resumes_to_the_same_trace(tmp_path: Path) -> None:
    made = cell(dict(AGENTS), schedule=WHOLE)
    whole = played(made, problems(4), tmp_path / "journal")
    (journal,) = (tmp_path / "journal").glob("*.jsonl")
    text = journal.read_bytes()
    journal.write_bytes(text[: len(text) // 3])
    assert trace_digests(played(made, problems(4), tmp_path / "journal")) == trace_digests(whole)


def test_shards_joined_are_the_whole_trace(tmp_path: Path) -> None:
    made, asked = cell(dict(AGENTS), schedule=WHOLE), problems(5)
    with made.panel(tmp_path, "all", quiet=True) as panel:
        whole = run_cell(made, asked, panel)
        parts = [run_cell(made, problem_shard(asked, i, 2), panel) for i in (1, 2)]
    assert trace_digests(joined(parts)) == trace_digests(whole)


def test_seen_digests_differ_exactly_where_views_differ(tmp_path: Path) -> None:
    trace = played(cell(dict(AGENTS)), problems(2), tmp_path)
    polls = trace.polls.to_pandas()
    assert polls["seen_digest"].nunique() == len(polls)
    blind = played(cell(dict(AGENTS), memory={"regime": "none"}, incumbent="none"), problems(2), tmp_path)
    per_view = blind.polls.to_pandas().groupby(["trace", "agent"])["seen_digest"].nunique()
    assert per_view.loc[("p0#0", "a3")] == 1


def test_a_residual_pair_follows_the_first_judge_and_both_are_recorded(tmp_path: Path) -> None:
    """a1 polls Paris and says Lutetia; j1 calls them one answer, j2 does not."""
    agents = {**AGENTS, "a1": {"answer": "Paris", "score": 90, "spoken": "Lutetia"}}
    made = cell(agents, judges={"j1": ["lutetia", "paris"], "j2": []})
    trace = played(made, problems(2), tmp_path)
    first = rows(trace, "speaks", turn=0)[0]
    assert (first["divergent"], first["divergence_source"], first["spoken_correct"]) == (False, "j1", True)
    verdicts = {(row["judge"], row["verdict"]) for row in rows(trace, "verdicts")}
    assert verdicts == {("j1", "equivalent"), ("j2", "divergent")}
    result = audited(trace)
    assert set(result.by_judge) == {"j1", "j2"}
    shares = {
        j: next(e.estimate for e in found if e.metric == "PSDR") for j, found in result.by_judge.items()
    }
    assert shares == {"j1": 0.0, "j2": 1.0}


def test_without_a_judge_answers_that_no_rule_equates_are_divergent(tmp_path: Path) -> None:
    agents = {**AGENTS, "a1": {"answer": "Paris", "score": 90, "spoken": "Lutetia"}}
    first = rows(played(cell(agents), problems(1), tmp_path), "speaks", turn=0)[0]
    assert (first["divergent"], first["divergence_source"], first["spoken_correct"]) == (True, "rule", False)


def test_an_unparsed_verdict_is_undecided_and_leaves_the_label_open(tmp_path: Path) -> None:
    agents = {**AGENTS, "a1": {"answer": "Paris", "score": 90, "spoken": "Lutetia"}}
    made = cell(agents, judges={"j1": []})
    judge = made.judges["j1"]
    broken = judge.model.model_copy(update={"noise": 1.0, "noise_text": "?"})
    made = type(made)(
        made.benchmark, made.pool, made.protocol, made.baselines, {"j1": JudgeConfig(model=broken)}
    )
    trace = played(made, problems(1), tmp_path)
    first = rows(trace, "speaks", turn=0)[0]
    assert (first["divergent"], first["spoken_correct"]) == (None, None)
    assert {row["verdict"] for row in rows(trace, "verdicts")} == {"undecided"}


def test_a_judge_of_the_actors_family_is_named_as_such() -> None:
    made = cell(dict(AGENTS))
    model = made.pool.model
    own, other = (
        model.model_copy(update={"name": "gpt-oss-20b"}),
        model.model_copy(update={"name": "gemma-4-31B-it"}),
    )
    pool = made.pool.model_copy(update={"model": model.model_copy(update={"name": "gpt-oss-120b"})})
    judges = {"a": JudgeConfig(model=own), "b": JudgeConfig(model=other)}
    said = trace_meta(pool, made.protocol, judges, "toy").protocol["judges"]
    assert said == [
        "a: gpt-oss-20b, labels what no rule decides, of the actors' own family",
        "b: gemma-4-31B-it, for agreement",
    ]


def test_baselines_report_pass_rate_calls_and_tokens_beside_the_broadcast(tmp_path: Path) -> None:
    made = cell(dict(AGENTS), modes=["baseline_llm", "single_agent"])
    trace = played(made, problems(3), tmp_path)
    modes = {row.mode: row for row in audited(trace).modes}
    assert {mode: row.means["calls"] for mode, row in modes.items()} == {
        "baseline_llm": 1.0,
        "single_agent": 4.0,
        "broadcast": 10.0,
    }
    assert {row.pass_rate for row in modes.values()} == {1.0}
    assert modes["broadcast"].ratios["calls"] == 10 / 4
    assert modes["baseline_llm"].means["tokens"] < modes["single_agent"].means["tokens"]


def test_the_card_of_a_trace_knows_its_protocol(tmp_path: Path) -> None:
    card = build_card(audited(played(cell(dict(AGENTS)), problems(4), tmp_path)))
    assert card["protocol"]["routing_rule"] == "confidence_argmax"
    assert not any(isinstance(value, dict) for value in card["protocol"].values())
    assert card["totals"]["polls"] == 24


def test_a_failing_backend_stops_the_deliberation_instead_of_inventing_a_poll(tmp_path: Path) -> None:
    made = cell(dict(AGENTS))
    failing = made.pool.model.model_copy(update={"rule": "failing_agents:fail", "parameters": {}})
    pool = made.pool.model_copy(update={"model": failing})
    made = type(made)(made.benchmark, pool, made.protocol, made.baselines, {})
    with pytest.raises(InputError, match="finished requests are reused"):
        played(made, problems(1), tmp_path)


def test_weights_fitted_to_a_trace_prefer_what_was_right_in_it(tmp_path: Path) -> None:
    trace = played(cell(dict(AGENTS)), problems(6), tmp_path)
    weights = fit_weights(trace)
    assert weights["agent:a1"] > weights["agent:a3"]
    assert weights["score"] > 0
