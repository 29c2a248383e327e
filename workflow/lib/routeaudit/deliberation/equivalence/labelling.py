"""Labels of a trace: correctness, divergence and match flags, by rule first and by the judge where none
decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from routeaudit.deliberation.equivalence.judging import AnswerPair, Verdicts
from routeaudit.deliberation.equivalence.rules import any_match, matches_reference, rule_verdict
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.trace import EQUIVALENT, POLLS, SPEAKS, UNDECIDED, VERDICTS, Trace

RULE = "rule"
Row = dict[str, Any]


@dataclass(frozen=True)
class Labeller:
    """Compares answers by rule, then by the verdicts of the judge that labels; without a judge, answers
    that no rule calls equal are different."""

    problems: Mapping[str, Problem]
    judge: str | None = None
    verdicts: Verdicts = field(default_factory=dict)

    def same(self, uid: str, one: str, other: str) -> tuple[bool | None, str]:
        """Whether two answers are the same, and who says so; None where the judge gave no verdict."""
        by_rule = rule_verdict(self.problems[uid], one, other)
        if by_rule is not None or self.judge is None:
            return by_rule is True, RULE
        verdict = self.verdicts.get(AnswerPair.of(self.problems[uid], one, other), UNDECIDED)
        return (None if verdict == UNDECIDED else verdict == EQUIVALENT), self.judge

    def correct(self, uid: str, answer: str) -> bool | None:
        """Whether an answer is the reference or an alias."""
        problem = self.problems[uid]
        if (by_rule := matches_reference(problem, answer)) is not None:
            return by_rule
        accepted = (problem.answer, *problem.aliases)
        return any_match(self.same(uid, reference, answer)[0] for reference in accepted)


def labelled(trace: Trace, labeller: Labeller, by_judge: Mapping[str, Verdicts] | None = None) -> Trace:
    """The trace with all labels; with the verdicts of every judge on the poll-speak pairs that no rule
    decides."""
    view = _View(trace)
    polls = [_labelled_poll(row, view, labeller) for row in trace.polls.to_pylist()]
    done = replace(trace, polls=POLLS.from_rows(polls))
    if trace.speaks is None:
        return done
    speaks = [_labelled_speak(row, view, labeller) for row in trace.speaks.to_pylist()]
    return replace(
        done, speaks=SPEAKS.from_rows(speaks), verdicts=_verdict_table(view, labeller, by_judge or {})
    )


def open_pairs(trace: Trace, problems: Mapping[str, Problem]) -> set[AnswerPair]:
    """Every pair of answers that a label depends on and no rule decides."""
    view, asked = _View(trace), set()

    def same(uid: str, one: str, other: str) -> None:
        if rule_verdict(problems[uid], one, other) is None:
            asked.add(AnswerPair.of(problems[uid], one, other))

    for uid, answer in view.answers():
        if matches_reference(problems[uid], answer) is None:
            for accepted in (problems[uid].answer, *problems[uid].aliases):
                same(uid, accepted, answer)
    for row in view.speaks:
        for other in view.compared(row):
            same(view.uid(row), row["spoken_norm"], other)
    return asked


def _labelled_poll(row: Row, view: _View, labeller: Labeller) -> Row:
    answer = row["answer_norm"] if row["parse_ok"] and row["has_candidate"] else None
    return row | {"correct": None if answer is None else labeller.correct(view.uid(row), answer)}


def _labelled_speak(row: Row, view: _View, labeller: Labeller) -> Row:
    spoken, uid = row["spoken_norm"], view.uid(row)
    if spoken is None:
        return row
    polled = view.polled(row)
    same, source = (None, None) if polled is None else labeller.same(uid, polled, spoken)

    def matches(others: list[str]) -> bool | None:
        return any_match(labeller.same(uid, other, spoken)[0] for other in others)

    incumbent = view.incumbent(row)
    return row | {
        "spoken_correct": labeller.correct(uid, spoken),
        "divergent": None if same is None else not same,
        "divergence_source": source,
        "match_self": matches(view.public(row, own=True)),
        "match_incumbent": matches([incumbent] if incumbent else []),
        "match_peer": matches(view.public(row, own=False)),
    }


class _View:
    """Look-ups in a trace: what was polled, visible and the incumbent at each speech."""

    def __init__(self, trace: Trace) -> None:
        self.blocks = {_turn(row): row for row in trace.blocks.to_pylist()}
        self.polls = trace.polls.to_pylist()
        self.speaks = (
            [] if trace.speaks is None else [r for r in trace.speaks.to_pylist() if r["spoken_norm"]]
        )
        self._polled = {
            (*_turn(row), row["agent"]): row["answer_norm"] for row in self.polls if row["has_candidate"]
        }
        self._said = {(row["trace"], f"{row['round']}.{row['turn']}"): row for row in self.speaks}

    def uid(self, row: Row) -> str:
        return str(self.blocks[_turn(row)]["problem_uid"])

    def polled(self, row: Row) -> str | None:
        """The answer that the speaker had polled in the same turn."""
        return self._polled.get((*_turn(row), row["agent"]))

    def incumbent(self, row: Row) -> str | None:
        value = self.blocks[_turn(row)]["incumbent"]
        return None if value is None else str(value)

    def public(self, row: Row, own: bool) -> list[str]:
        """Answers of the speeches visible before this one, the speaker's own or the others'."""
        seen = [self._said.get((row["trace"], event)) for event in self.blocks[_turn(row)]["public_seen"]]
        return [past["spoken_norm"] for past in seen if past and (past["agent"] == row["agent"]) == own]

    def compared(self, row: Row) -> list[str]:
        """Every answer that a speech is compared with."""
        found = [self.polled(row), self.incumbent(row), *self.public(row, True), *self.public(row, False)]
        return [answer for answer in found if answer is not None]

    def answers(self) -> Iterator[tuple[str, str]]:
        """Every polled and spoken answer with its problem."""
        for row in self.polls:
            if row["parse_ok"] and row["has_candidate"] and row["answer_norm"]:
                yield self.uid(row), row["answer_norm"]
        for row in self.speaks:
            yield self.uid(row), row["spoken_norm"]


def _turn(row: Row) -> tuple[str, int, int]:
    return row["trace"], row["round"], row["turn"]


def _verdict_table(view: _View, labeller: Labeller, by_judge: Mapping[str, Verdicts]) -> pa.Table:
    """Verdicts of every judge on the residual poll-speak pairs."""
    rows = []
    for row in view.speaks:
        polled, uid = view.polled(row), view.uid(row)
        if polled is None or rule_verdict(labeller.problems[uid], polled, row["spoken_norm"]) is not None:
            continue
        pair = AnswerPair.of(labeller.problems[uid], polled, row["spoken_norm"])
        key = {"trace": row["trace"], "round": row["round"], "turn": row["turn"]}
        rows += [key | {"judge": j, "verdict": found.get(pair, UNDECIDED)} for j, found in by_judge.items()]
    return VERDICTS.from_rows(rows)
