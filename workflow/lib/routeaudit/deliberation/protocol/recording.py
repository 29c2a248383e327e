"""From finished discussions to trace tables. Labels that need the reference or a judge are still empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from routeaudit.deliberation.equivalence.normalise import normalise
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.baselines import Solution
from routeaudit.deliberation.protocol.closing import submitted
from routeaudit.deliberation.protocol.state import Discussion, Poll, Spent, Turn
from routeaudit.deliberation.trace import BROADCAST, SCHEMAS, Trace, TraceMeta

Row = dict[str, Any]


def record(discussions: Sequence[Discussion], solutions: Sequence[Solution], meta: TraceMeta) -> Trace:
    """The unlabelled trace of discussions and of the baseline solutions of the same problems."""
    turns = [(discussion, turn) for discussion in discussions for turn in discussion.turns]
    rows: dict[str, list[Row]] = {
        "blocks": [_block(d, turn) for d, turn in turns],
        "polls": [_poll(d, turn, poll) for d, turn in turns for poll in turn.polls],
        "selections": [_key(d, turn) | {"agent": turn.selected, "rule": turn.rule} for d, turn in turns],
        "speaks": [_speak(d, turn) for d, turn in turns if turn.speech is not None],
        "approvals": [row for d in discussions for row in _approvals(d)],
        "outcomes": [*map(_outcome, discussions), *map(_solution, solutions)],
    }
    return Trace(meta=meta, **{name: SCHEMAS[name].from_rows(found, name) for name, found in rows.items()})


def joined(traces: Sequence[Trace]) -> Trace:
    """Shards of one trace as one; they must share their meta."""
    names = {name for trace in traces for name in trace.tables()}
    tables = {
        name: SCHEMAS[name].conform(pa.concat_tables([trace.tables()[name] for trace in traces]), name)
        for name in names
    }
    return Trace(meta=traces[0].meta, **tables)


def _key(discussion: Discussion, turn: Turn) -> Row:
    return {"trace": discussion.trace, "round": turn.round, "turn": turn.turn}


def _form(problem: Problem, answer: str | None) -> str | None:
    return None if answer is None else normalise(problem, answer) or None


def _block(discussion: Discussion, turn: Turn) -> Row:
    problem, incumbent = discussion.problem, turn.incumbent
    return _key(discussion, turn) | {
        "problem_uid": problem.uid,
        "tier": problem.tier,
        "difficulty": problem.difficulty,
        "incumbent": None if incumbent is None else _form(problem, incumbent.answer),
        "incumbent_event": None if incumbent is None else incumbent.event,
        "public_seen": list(turn.public_seen),
    }


def _poll(discussion: Discussion, turn: Turn, poll: Poll) -> Row:
    reply = poll.reply
    return _key(discussion, turn) | {
        "agent": poll.agent,
        "agent_order": poll.order,
        "score_raw": reply.score,
        "parse_ok": reply.parse_ok,
        "has_candidate": reply.has_candidate,
        "answer": reply.answer,
        "answer_norm": _form(discussion.problem, reply.answer),
        "correct": None,
        "intent": reply.intent,
        "reason": reply.reason if reply.parse_ok else reply.fault,
        "private_note": poll.note,
        "seen_digest": poll.seen,
        "request_key": poll.key,
    }


def _speak(discussion: Discussion, turn: Turn) -> Row:
    speech = turn.speech
    assert speech is not None
    unknown = dict.fromkeys(
        ("spoken_correct", "divergent", "divergence_source", "match_self", "match_incumbent", "match_peer")
    )
    form = _form(discussion.problem, speech.answer)
    return (
        _key(discussion, turn)
        | unknown
        | {
            "agent": speech.agent,
            "text": speech.text,
            "spoken_valid": form is not None,
            "spoken": speech.answer,
            "spoken_norm": form,
            "seen_digest": speech.seen,
            "request_key": speech.key,
        }
    )


def _approvals(discussion: Discussion) -> Iterable[Row]:
    for vote in discussion.votes:
        for agent, ballot in vote.ballots:
            yield {
                "trace": discussion.trace,
                "round": vote.round,
                "approval_round": vote.approval_round,
                "agent": agent,
                "candidate_norm": _form(discussion.problem, vote.candidate),
                "approve": ballot.approve,
            }


def _outcome(discussion: Discussion) -> Row:
    rounds = len(discussion.evaluations)
    return _run(
        discussion.trace,
        BROADCAST,
        discussion.problem,
        discussion.passed,
        submitted(discussion),
        discussion.spent,
    ) | {"rounds": rounds}


def _solution(solution: Solution) -> Row:
    return _run(
        solution.trace, solution.mode, solution.problem, solution.passed, solution.answer, solution.spent
    ) | {"rounds": solution.revisions}


def _run(
    trace: str, mode: str, problem: Problem, passed: bool | None, answer: str | None, spent: Spent
) -> Row:
    return {
        "trace": trace,
        "mode": mode,
        "problem_uid": problem.uid,
        "tier": problem.tier,
        "passed": passed,
        "answer_norm": _form(problem, answer),
        "calls": spent.calls,
        "tokens": spent.tokens,
        "seconds": spent.seconds,
    }
