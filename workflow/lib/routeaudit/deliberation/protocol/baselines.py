"""Baseline modes on the same problems: one direct solution, and one agent that revises its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from routeaudit.config.deliberation import BaselinesConfig
from routeaudit.config.prompts import PromptConfig
from routeaudit.deliberation.equivalence.rules import matches_reference
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.replies import spoken_answer
from routeaudit.deliberation.protocol.run import begin
from routeaudit.deliberation.protocol.stages import Table
from routeaudit.deliberation.protocol.state import Discussion, Spent
from routeaudit.deliberation.trace import BASELINE, SINGLE_AGENT
from routeaudit.execution import Completion


@dataclass(frozen=True)
class Solution:
    """What a baseline mode made of one problem. It passes if its answer equals the reference by rule."""

    trace: str
    mode: str
    problem: Problem
    answer: str | None
    revisions: int
    spent: Spent

    @property
    def passed(self) -> bool:
        return self.answer is not None and matches_reference(self.problem, self.answer) is True


@dataclass(frozen=True)
class _Draft:
    discussion: Discussion
    text: str = ""
    answer: str | None = None


def solve_alone(problems: Sequence[Problem], table: Table, config: BaselinesConfig) -> list[Solution]:
    """The solutions of every declared mode; the first draft is the same request in both, so it is asked
    once."""
    if not config.modes:
        return []
    first = _drafted(table, "solve", config.solve, [_Draft(d) for d in begin(problems, table)])
    found = [_solution(draft, BASELINE, 0) for draft in first] if BASELINE in config.modes else []
    if SINGLE_AGENT not in config.modes:
        return found
    drafts = first
    for _ in range(config.revisions):
        drafts = _drafted(table, "revise", config.revise, drafts)
    return found + [_solution(draft, SINGLE_AGENT, config.revisions) for draft in drafts]


def _drafted(table: Table, stage: str, prompt: PromptConfig, drafts: Sequence[_Draft]) -> list[_Draft]:
    """The next draft of each; one that states no answer leaves the answer before it standing."""
    seat = table.seats[0]
    texts = {draft.discussion.trace: draft.text for draft in drafts}
    wanted = [(draft.discussion, seat) for draft in drafts]
    answered = table.batch(
        stage,
        wanted,
        lambda discussion, seat: table.asked(
            stage, prompt, discussion, seat, own_solution=texts[discussion.trace]
        ),
    )
    return [_next(table, draft, reply.completion) for draft, (_, reply) in zip(drafts, answered, strict=True)]


def _next(table: Table, draft: _Draft, completion: Completion) -> _Draft:
    usable = completion.status == "ok" and completion.finish_reason != "length"
    problem = draft.discussion.problem
    answer = spoken_answer(completion.text, problem, table.protocol.speak) if usable else None
    charged = draft.discussion.charged([completion])
    return replace(draft, discussion=charged, text=completion.text.strip(), answer=answer or draft.answer)


def _solution(draft: _Draft, mode: str, revisions: int) -> Solution:
    discussion = draft.discussion
    return Solution(discussion.trace, mode, discussion.problem, draft.answer, revisions, discussion.spent)
