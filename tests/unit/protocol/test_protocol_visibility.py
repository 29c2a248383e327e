"""Nobody sees what table 7 does not show: canaries planted in polls, briefs, notes and the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted_agents import cell, problems

from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.panel import Ask, Panel, Reply
from routeaudit.deliberation.protocol.study import Cell, run_cell
from routeaudit.deliberation.protocol.views import VISIBLE

pytestmark = pytest.mark.concurrent

Seen = list[tuple[str, str, str]]


class Overheard:
    """A panel that writes down what every call sees: stage, member, all messages."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self.seen: Seen = []
        self.batches: list[tuple[str, int]] = []

    def ask(self, stage: str, asks: list[Ask]) -> list[Reply]:
        self.batches.append((stage, len(asks)))
        for ask in asks:
            text = "\n".join(message.content for message in ask.request.messages)
            self.seen.append((stage, ask.member, text))
        return self._panel.ask(stage, asks)


def canary(agent: str, kind: str) -> str:
    return f"canary-{agent}-{kind}"


def agent(name: str, score: int) -> dict[str, Any]:
    """An agent whose polled answer, reason, score, note and speech carry their own canaries."""
    return {
        "answer": canary(name, "polled"),
        "reason": canary(name, "reason"),
        "score": score,
        "spoken": canary(name, "spoken"),
        "speech": canary(name, "speech") + " Answer: {}",
        "approve": False,
        "revision": canary(name, "revision"),
    }


def overhear(made: Cell, asked: list[Problem], journal: Path) -> Seen:
    with made.panel(journal, "test", quiet=True) as panel:
        overheard = Overheard(panel)
        run_cell(made, asked, overheard)  # type: ignore[arg-type]
    return overheard.seen


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    agents = {"a1": agent("a1", 71), "a2": agent("a2", 83), "a3": agent("a3", 64)}
    agents["evaluator"] = {"hint": "Try canary-hint."}
    schedule = {"max_rounds": 2, "discussion_turns": 3, "approval_rounds": 2}
    made = cell(
        agents, modes=["baseline_llm", "single_agent"], schedule=schedule, evaluator={"kind": "model"}
    )
    briefs = tuple(canary(name, "brief") for name in ("a1", "a2", "a3"))
    asked = [replace(problem, briefs=briefs, answer="canary-reference") for problem in problems(2)]
    return overhear(made, asked, tmp_path_factory.mktemp("journal"))


def told(seen: Seen, *stages: str) -> Iterator[tuple[str, str, str]]:
    found = [row for row in seen if row[0] in stages]
    assert found, stages
    yield from found


def test_all_stages_were_overheard(seen: Seen) -> None:
    assert {stage for stage, _, _ in seen} == {*VISIBLE}


def test_no_call_sees_a_polled_answer_a_reason_or_a_score(seen: Seen) -> None:
    for stage, member, text in told(seen, *VISIBLE):
        for name in ("a1", "a2", "a3"):
            assert canary(name, "polled") not in text, (stage, member)
            assert canary(name, "reason") not in text, (stage, member)
        assert not any(f"{score}" in text for score in (71, 83, 64)), (stage, member)


def test_briefs_are_seen_by_their_own_agent_only(seen: Seen) -> None:
    for stage, member, text in told(seen, "poll", "speak", "note", "approve"):
        for name in ("a1", "a2", "a3"):
            assert (canary(name, "brief") in text) == (name == member), (stage, member)


def test_the_reference_is_seen_by_the_evaluator_only(seen: Seen) -> None:
    for stage, _, text in told(seen, *VISIBLE):
        assert ("canary-reference" in text) == (stage == "evaluate")


def test_public_speech_is_seen_and_revisions_of_ballots_are_not(seen: Seen) -> None:
    polls = [text for _, _, text in told(seen, "poll")]
    assert sum(canary("a2", "speech") in text for text in polls) == len(polls) - 6
    for stage, member, text in told(seen, *VISIBLE):
        for name in ("a1", "a2", "a3"):
            assert canary(name, "revision") not in text, (stage, member)


def test_a_deferred_note_is_seen_in_its_authors_later_polls_only(seen: Seen) -> None:
    """a1 does not get the turn and scores at least 65, so it writes notes; its note is its scripted
    speech."""
    own = [text for _, member, text in told(seen, "poll") if member == "a1"]
    assert any("My notes: canary-a1-speech" in text for text in own)
    for stage, member, text in told(seen, *VISIBLE):
        if member != "a1":
            assert canary("a1", "speech") not in text, (stage, member)
    for _, _, text in told(seen, "speak", "approve", "evaluate"):
        assert "My notes" not in text


def test_feedback_reaches_polls_of_the_next_round_and_no_speech(seen: Seen) -> None:
    polls = [text for _, _, text in told(seen, "poll")]
    assert sum("Feedback: Try canary-hint." in text for text in polls) == len(polls) // 2
    for _, _, text in told(seen, "speak", "approve"):
        assert "canary-hint" not in text


def test_a_hint_that_holds_the_reference_is_withheld(tmp_path: Path) -> None:
    leaky = {"a1": {"answer": "x", "score": 1}, "a2": {"answer": "x"}, "a3": {"answer": "x"}}
    leaky["evaluator"] = {"hint": "It is the PARIS of the poets."}
    schedule = {"max_rounds": 2, "discussion_turns": 1, "approval_rounds": 0}
    made = cell(leaky, schedule=schedule, evaluator={"kind": "model", "withheld_hint": "Look again."})
    seen = overhear(made, problems(1), tmp_path)
    feedback = [text for stage, _, text in seen if stage == "poll" and "Feedback" in text]
    assert len(feedback) == 3
    assert all("PARIS" not in text and "Feedback: Look again." in text for text in feedback)


def test_all_agents_of_all_problems_are_one_batch_per_stage(tmp_path: Path) -> None:
    agents = {name: agent(name, 80) for name in ("a1", "a2", "a3")}
    schedule = {"max_rounds": 1, "discussion_turns": 2, "approval_rounds": 1}
    made = cell(agents, schedule=schedule)
    with made.panel(tmp_path, "test", quiet=True) as panel:
        overheard = Overheard(panel)
        run_cell(made, problems(5), overheard)  # type: ignore[arg-type]
    turn = [("poll", 15), ("speak", 5), ("note", 10)]
    assert overheard.batches == [*turn, *turn, ("approve", 15)]
