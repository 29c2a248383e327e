"""A whole deliberation on many problems at once: rounds, turns, approval, evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from routeaudit.config.deliberation import PoolConfig, ProtocolConfig
from routeaudit.config.models import ModelConfig
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.closing import EVALUATOR, evaluate, vote
from routeaudit.deliberation.protocol.requests import seats
from routeaudit.deliberation.protocol.stages import Table, poll, speak, take_notes
from routeaudit.deliberation.protocol.state import Discussion


def members(pool: PoolConfig, protocol: ProtocolConfig) -> dict[str, ModelConfig]:
    """The panel's members: every agent, and the evaluator where it is a model."""
    dealt = pool.models or (pool.model,)
    found = {seat.agent: dealt[seat.number % len(dealt)] for seat in seats(pool)}
    if protocol.evaluator.kind == "model":
        found[EVALUATOR] = protocol.evaluator.model or next(iter(found.values()))
    return found


def begin(problems: Sequence[Problem], table: Table) -> list[Discussion]:
    """One discussion per problem and replicate."""
    agents = tuple(seat.agent for seat in table.seats)
    return [
        Discussion(f"{problem.uid}#{replicate}", problem, replicate, agents)
        for problem in problems
        for replicate in range(table.protocol.replicates)
    ]


def deliberate(problems: Sequence[Problem], table: Table) -> list[Discussion]:
    """Run the broadcast on all problems; the same stage of all running discussions is one batch.

    Nothing is saved but the journal: a rerun finds every finished request there and gets to the same state.

    Raises
    ------
    InputError : the infrastructure failed a request for good
    """
    discussions = begin(problems, table)
    for round_ in range(table.protocol.schedule.max_rounds):
        running = [d for d in discussions if d.passed is not True]
        if not running:
            break
        ended = {d.trace: d for d in _outer_round(table, running, round_)}
        discussions = [ended.get(d.trace, d) for d in discussions]
    return discussions


def _outer_round(table: Table, running: Sequence[Discussion], round_: int) -> list[Discussion]:
    schedule = table.protocol.schedule
    current = [replace(d, approved=False) for d in running]
    for turn in range(schedule.discussion_turns):
        current = poll(table, current, round_, turn)
        current = speak(table, current)
        current = take_notes(table, current)
    for approval_round in range(schedule.approval_rounds):
        current = vote(table, current, round_, approval_round)
    return evaluate(table, current)
