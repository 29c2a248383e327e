"""Every knob of the paper's table 8 on agents whose behaviour is planted: the trace shows exactly that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_agents import WRONG, audited, cell, played, problems, rows

from routeaudit.config.deliberation import PoolConfig, ProtocolConfig
from routeaudit.deliberation.protocol.describe import knobs
from routeaudit.deliberation.trace import Trace

pytestmark = pytest.mark.concurrent

SURE = {"answer": "Paris", "score": 90}
MEEK = {"answer": "Rome", "score": 20}
BOLD = {"answer": WRONG, "score": 95}


def play(tmp_path: Path, a1: Any, a2: Any, a3: Any, n: int = 2, **changed: Any) -> Trace:
    return played(cell({"a1": a1, "a2": a2, "a3": a3}, **changed), problems(n), tmp_path / "journal")


def selected(trace: Trace) -> list[str]:
    return [row["agent"] for row in rows(trace, "selections", trace="p0#0")]


def test_defaults_are_the_audited_values_of_table_8() -> None:
    paper = ProtocolConfig()
    assert (paper.schedule.discussion_turns, paper.schedule.approval_rounds) == (4, 2)
    assert paper.routing.rule == "confidence_argmax"
    assert (paper.notes.enabled, paper.notes.threshold) == (True, 65)
    assert (paper.memory.regime, paper.memory.recent_window) == ("summary_plus_recent", 5)
    assert (paper.approval.rule, paper.approval.update) == ("unanimous", "majority_revision")
    assert paper.incumbent == "persistent"
    pool = PoolConfig()
    assert (pool.size, pool.temperature) == (3, 0.0)
    assert knobs(pool, paper, ["m"])["Deferred-note threshold"] == "score of at least 65"


def test_argmax_gives_the_turn_to_the_highest_score(tmp_path: Path) -> None:
    assert selected(play(tmp_path, MEEK, SURE, MEEK)) == ["a2", "a2"]


def test_argmax_takes_the_first_seen_of_equal_scores(tmp_path: Path) -> None:
    assert selected(play(tmp_path, MEEK, SURE, SURE)) == ["a2", "a2"]


def test_round_robin_ignores_scores(tmp_path: Path) -> None:
    assert selected(play(tmp_path, MEEK, SURE, MEEK, routing={"rule": "round_robin"})) == ["a1", "a2"]


def test_majority_cluster_outvotes_a_bold_loner(tmp_path: Path) -> None:
    doubtful = {"answer": "Paris", "score": 30}
    trace = play(tmp_path, BOLD, doubtful, {**doubtful, "score": 40}, routing={"rule": "majority_cluster"})
    assert selected(trace) == ["a3", "a3"]


def test_confidence_weighted_follows_the_heaviest_cluster(tmp_path: Path) -> None:
    doubtful = {"answer": "Paris", "score": 30}
    trace = play(tmp_path, BOLD, doubtful, doubtful, routing={"rule": "confidence_weighted"})
    assert selected(trace) == ["a1", "a1"]
    heavier = {"answer": "Paris", "score": 60}
    trace = play(tmp_path, BOLD, heavier, heavier, routing={"rule": "confidence_weighted"})
    assert selected(trace) == ["a2", "a2"]


def test_random_valid_never_picks_an_invalid_poll(tmp_path: Path) -> None:
    broken = {"poll_text": "not json", "spoken": "x"}
    trace = play(tmp_path, broken, SURE, broken, n=8, routing={"rule": "random_valid"})
    assert {row["agent"] for row in rows(trace, "selections")} == {"a2"}


def test_random_valid_draws_by_its_seed_alone(tmp_path: Path) -> None:
    first = play(tmp_path / "1", MEEK, SURE, BOLD, n=8, routing={"rule": "random_valid", "seed": 3})
    again = play(tmp_path / "2", MEEK, SURE, BOLD, n=8, routing={"rule": "random_valid", "seed": 3})
    other = play(tmp_path / "3", MEEK, SURE, BOLD, n=8, routing={"rule": "random_valid", "seed": 4})
    picks = [[r["agent"] for r in rows(t, "selections")] for t in (first, again, other)]
    assert picks[0] == picks[1] != picks[2]
    assert set(picks[0]) == {"a1", "a2", "a3"}


def test_tie_random_draws_among_the_top_scores_only(tmp_path: Path) -> None:
    trace = play(tmp_path, SURE, MEEK, SURE, n=8, routing={"rule": "tie_random"})
    assert {row["agent"] for row in rows(trace, "selections")} == {"a1", "a3"}


def test_learned_router_follows_its_weights(tmp_path: Path) -> None:
    rule = {"rule": "learned", "weights": {"score": -1.0}}
    assert selected(play(tmp_path, SURE, MEEK, BOLD, routing=rule)) == ["a2", "a2"]
    rule = {"rule": "learned", "weights": {"agent:a3": 1.0, "score": 0.1}}
    assert selected(play(tmp_path, SURE, MEEK, MEEK, routing=rule)) == ["a3", "a3"]


def test_invalid_json_is_an_invalid_poll_that_sorts_below_every_score(tmp_path: Path) -> None:
    trace = play(tmp_path, {"poll_text": '{"score": 99, "candidate_'}, {**MEEK, "score": 0}, MEEK)
    broken = rows(trace, "polls", agent="a1")
    assert [row["parse_ok"] for row in broken] == [False] * 4
    assert [row["score_raw"] for row in broken] == [None] * 4
    assert selected(trace) == ["a3", "a3"]
    assert audited(trace).counted.unparsed == 4


def test_all_invalid_polls_select_the_first_and_count_as_selected_invalid(tmp_path: Path) -> None:
    broken = {"poll_text": "?", "spoken": "Paris"}
    trace = play(tmp_path, broken, broken, broken)
    assert selected(trace) == ["a1", "a1"]
    result = audited(trace)
    rate = next(e for e in result.routing if e.metric == "selected_invalid_rate")
    assert (rate.numerator, rate.denominator) == (4, 4)


def test_an_agent_without_candidate_is_polled_but_no_valid_candidate(tmp_path: Path) -> None:
    trace = play(tmp_path, {"answer": None, "score": 99}, SURE, MEEK)
    assert selected(trace) == ["a1", "a1"]
    assert [row["correct"] for row in rows(trace, "polls", agent="a1")] == [None] * 4


def test_overconfident_agents_show_as_confidence_above_accuracy(tmp_path: Path) -> None:
    bold = {"answer": WRONG, "score": 100}
    trace = play(tmp_path, bold, bold, {"answer": "Paris", "score": 100})
    raw = {e.metric: e.estimate for e in audited(trace).calibration["raw"]}
    assert (raw["mean_confidence"], raw["accuracy"]) == (1.0, pytest.approx(1 / 3))
    assert raw["ECE"] == pytest.approx(2 / 3)
    assert raw["AUROC"] == 0.5


def test_notes_are_written_from_the_threshold_on_and_only_without_the_turn(tmp_path: Path) -> None:
    trace = play(tmp_path, {**SURE, "score": 90}, {**MEEK, "score": 65}, {**MEEK, "score": 64})
    assert all(row["private_note"] is None for row in rows(trace, "polls", agent="a1"))
    assert all(row["private_note"] for row in rows(trace, "polls", agent="a2"))
    assert all(row["private_note"] is None for row in rows(trace, "polls", agent="a3"))


def test_notes_can_be_switched_off(tmp_path: Path) -> None:
    trace = play(tmp_path, SURE, SURE, SURE, notes={"enabled": False})
    assert all(row["private_note"] is None for row in rows(trace, "polls"))


def test_always_echo_is_peer_echo(tmp_path: Path) -> None:
    """a1 speaks first, then a2, who polled Rome, repeats a1's public answer."""
    echo = {"answer": "Rome", "score": 90, "spoken": "echo"}
    trace = play(
        tmp_path,
        {"answer": "Oslo", "score": 10},
        echo,
        MEEK,
        routing={"rule": "round_robin"},
        incumbent="none",
    )
    second = rows(trace, "speaks", turn=1)
    assert [row["spoken"] for row in second] == ["Oslo", "Oslo"]
    assert [row["divergent"] for row in second] == [True, True]
    assert [(row["match_self"], row["match_incumbent"], row["match_peer"]) for row in second] == [
        (False, False, True)
    ] * 2


def test_always_self_revert_is_self_match(tmp_path: Path) -> None:
    """One agent keeps the floor, polls one answer and says another, each time the same."""
    revert = {"answer": "Rome", "score": 90, "spoken": "Oslo"}
    trace = play(tmp_path, revert, MEEK, MEEK, incumbent="none")
    first, second = rows(trace, "speaks", trace="p0#0")
    assert (first["divergent"], first["match_self"]) == (True, False)
    assert (second["divergent"], second["match_self"], second["match_peer"]) == (True, True, False)


def test_incumbent_pull_is_incumbent_match(tmp_path: Path) -> None:
    pulled = {"answer": "Rome", "score": 90, "spoken": "incumbent"}
    trace = play(tmp_path, {"answer": "Oslo", "score": 10}, pulled, MEEK, routing={"rule": "round_robin"})
    second = rows(trace, "speaks", turn=1, trace="p0#0")[0]
    assert (second["spoken"], second["match_incumbent"]) == ("Oslo", True)
    block = rows(trace, "blocks", turn=1, trace="p0#0")[0]
    assert (block["incumbent"], block["incumbent_event"], block["public_seen"]) == ("oslo", "0.0", ["0.0"])


@pytest.mark.parametrize(
    ("rule", "expected"), [("persistent", "oslo"), ("latest_spoken", "rome"), ("none", None)]
)
def test_incumbent_rule_decides_who_is_held(tmp_path: Path, rule: str, expected: str | None) -> None:
    schedule = {"max_rounds": 1, "discussion_turns": 3, "approval_rounds": 0}
    trace = play(
        tmp_path,
        {"answer": "Oslo", "score": 1},
        {"answer": "Rome", "score": 1},
        MEEK,
        routing={"rule": "round_robin"},
        incumbent=rule,
        schedule=schedule,
    )
    assert rows(trace, "blocks", trace="p0#0", turn=2)[0]["incumbent"] == expected


def test_schedule_sets_turns_rounds_and_stops_at_a_pass(tmp_path: Path) -> None:
    schedule = {"max_rounds": 3, "discussion_turns": 4, "approval_rounds": 2}
    wrong = {"answer": WRONG, "score": 50}
    failed = play(tmp_path / "1", wrong, wrong, wrong, schedule=schedule)
    assert len(rows(failed, "blocks", trace="p0#0")) == 12
    assert {(r["round"], r["approval_round"]) for r in rows(failed, "approvals")} == {
        (r, 0) for r in range(3)
    }
    passed = play(tmp_path / "2", SURE, SURE, SURE, schedule=schedule)
    assert len(rows(passed, "blocks", trace="p0#0")) == 4
    outcomes = rows(failed, "outcomes") + rows(passed, "outcomes")
    assert [(row["passed"], row["rounds"]) for row in outcomes] == [(False, 3)] * 2 + [(True, 1)] * 2


VOTES = {"max_rounds": 1, "discussion_turns": 1, "approval_rounds": 2}
AGAINST = {"approve": False, "revision": "Paris"}


def test_unanimous_approval_needs_everybody(tmp_path: Path) -> None:
    against = {**MEEK, "approve": False, "revision": "Rome"}
    trace = play(tmp_path, {**SURE, "answer": WRONG}, MEEK, against, schedule=VOTES)
    assert {row["approval_round"] for row in rows(trace, "approvals")} == {0, 1}
    rule = {"rule": "majority"}
    trace = play(tmp_path, {**SURE, "answer": WRONG}, MEEK, against, schedule=VOTES, approval=rule)
    assert {row["approval_round"] for row in rows(trace, "approvals")} == {0}


def test_majority_revision_replaces_the_candidate_and_the_second_round_reviews_it(tmp_path: Path) -> None:
    speaker = {**SURE, "answer": WRONG, "approve": True}
    trace = play(tmp_path, speaker, {**MEEK, **AGAINST}, {**MEEK, **AGAINST}, schedule=VOTES)
    reviewed = {row["approval_round"]: row["candidate_norm"] for row in rows(trace, "approvals")}
    assert reviewed == {0: WRONG.lower(), 1: "paris"}
    assert [row["passed"] for row in rows(trace, "outcomes")] == [True, True]


def test_without_update_the_candidate_stays(tmp_path: Path) -> None:
    speaker = {**SURE, "answer": WRONG}
    others = {**MEEK, **AGAINST}
    trace = play(tmp_path, speaker, others, others, schedule=VOTES, approval={"update": "none"})
    assert {row["candidate_norm"] for row in rows(trace, "approvals")} == {WRONG.lower()}
    assert [row["passed"] for row in rows(trace, "outcomes")] == [False, False]


def test_one_dissenter_does_not_revise(tmp_path: Path) -> None:
    trace = play(tmp_path, {**SURE, "answer": WRONG}, MEEK, {**MEEK, **AGAINST}, schedule=VOTES)
    assert {row["candidate_norm"] for row in rows(trace, "approvals")} == {WRONG.lower()}


@pytest.mark.parametrize(
    ("memory", "seen"),
    [
        ({"regime": "none"}, []),
        ({"regime": "full"}, ["0.0", "0.1", "0.2"]),
        ({"regime": "recent", "recent_window": 2}, ["0.1", "0.2"]),
        ({"regime": "summary_plus_recent", "recent_window": 2}, ["0.0", "0.1", "0.2"]),
    ],
)
def test_memory_regime_decides_which_speeches_are_visible(
    tmp_path: Path, memory: dict[str, Any], seen: list[str]
) -> None:
    schedule = {"max_rounds": 1, "discussion_turns": 4, "approval_rounds": 0}
    trace = play(tmp_path, SURE, MEEK, MEEK, memory=memory, schedule=schedule)
    assert rows(trace, "blocks", trace="p0#0", turn=3)[0]["public_seen"] == seen


def test_pool_size_and_models_are_dealt_in_turn(tmp_path: Path) -> None:
    made = cell({"a1": SURE, "a2": MEEK, "a3": MEEK})
    other = made.pool.model.model_copy(update={"name": "other"})
    pool = made.pool.model_copy(update={"models": (made.pool.model, other)})
    names = [
        type(made)(made.benchmark, pool, made.protocol, made.baselines, {}).models[f"a{i}"].name
        for i in (1, 2, 3)
    ]  # type: ignore[union-attr]
    assert names == ["scripted", "other", "scripted"]


def test_levels_hold_the_score_to_the_declared_ones(tmp_path: Path) -> None:
    poll = {"confidence": "levels", "levels": [5, 50, 95]}
    trace = play(tmp_path, {**SURE, "score": 95}, {**MEEK, "score": 51}, MEEK, poll=poll)
    assert [row["score_raw"] for row in rows(trace, "polls", agent="a1")] == [95.0] * 4
    assert not any(row["parse_ok"] for row in rows(trace, "polls", agent="a2"))


def test_answer_tokens_score_is_the_probability_of_the_answer(tmp_path: Path) -> None:
    """The scripted backend gives each blank-separated word a log probability of -0.1, so its tokens do not
    spell the reply; such a poll is invalid rather than given a number."""
    poll = {"confidence": "answer_tokens", "fields": ["candidate_answer"]}
    trace = play(tmp_path, {"answer": "Paris"}, {"answer": "Rome"}, MEEK, poll=poll)
    assert not any(row["parse_ok"] for row in rows(trace, "polls"))
    assert {row["reason"] for row in rows(trace, "polls")} == {"no probabilities of the answer's tokens"}


def test_temperature_zero_asks_equal_views_once_and_replicates_are_equal(tmp_path: Path) -> None:
    trace = play(tmp_path, SURE, MEEK, MEEK, n=1, replicates=2)
    keys = {row["trace"]: row["request_key"] for row in rows(trace, "polls", agent="a1", turn=0)}
    assert set(keys) == {"p0#0", "p0#1"}
    assert len(set(keys.values())) == 1
