"""What a trace says before any metric: no routing, no room, agents or scores that nothing tells apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import BoolArray, FloatArray, IntArray
from routeaudit.deliberation.dataset import Dataset
from routeaudit.inference.findings import Finding, listed


@dataclass(frozen=True, eq=False)
class _Polls:
    """Polls (n,) of the blocks in which somebody was selected; ``answer`` is -1 where it is unknown."""

    agents: tuple[str, ...]
    agent: IntArray
    block: IntArray
    problem: IntArray
    score: FloatArray
    valid: BoolArray
    correct: BoolArray
    answer: IntArray
    selected: IntArray

    def of(self, code: int) -> BoolArray:
        """Polls of one agent."""
        return np.asarray(self.agent == code)


def findings(data: Dataset) -> tuple[Finding, ...]:
    """Findings of a trace; what needs a comparison between blocks, problems or agents needs two of them."""
    polls = _polls(data)
    return (
        *_constant_selection(polls),
        *_no_headroom(polls),
        *_identical_agents(polls),
        *_one_answer(polls),
        *_constant_confidence(polls),
    )


def _polls(data: Dataset) -> _Polls:
    blocks = data.blocks
    block = blocks.block_of_row()
    unknown = np.full(block.size, -1, dtype=np.int64)
    return _Polls(
        agents=data.agents,
        agent=data.context.agent,
        block=block,
        problem=blocks.cluster[block],
        score=np.asarray(blocks.score, dtype=np.float64),
        valid=blocks.valid,
        correct=blocks.correct,
        answer=unknown if blocks.answer is None else blocks.answer,
        selected=blocks.offsets[:-1] + blocks.selected,
    )


def _constant_selection(polls: _Polls) -> Iterator[Finding]:
    chosen = np.unique(polls.agent[polls.selected])
    if polls.selected.size > 1 and chosen.size == 1 and len(polls.agents) > 1:
        yield Finding(
            "constant_selection",
            f"The router selected {polls.agents[chosen[0]]} in every block: a fixed agent, no routing.",
        )


def _no_headroom(polls: _Polls) -> Iterator[Finding]:
    """An agent whose candidate is right wherever any is."""
    possible = np.unique(polls.block[polls.correct]).size
    right = [np.unique(polls.block[polls.of(code) & polls.correct]).size for code in range(len(polls.agents))]
    always = [name for name, count in zip(polls.agents, right, strict=True) if count == possible]
    if possible and always and len(polls.agents) > 1:
        yield Finding(
            "no_headroom",
            f"Wherever a candidate is right, that of {listed(always)} is: the oracle equals the best fixed "
            "agent, so routing cannot help here.",
        )


def _identical_agents(polls: _Polls) -> Iterator[Finding]:
    """Agents polled in the same blocks, in two at least, with equal validity and correctness in each."""
    alike: dict[bytes, list[str]] = {}
    for code, name in enumerate(polls.agents):
        mine = np.flatnonzero(polls.of(code))
        columns = (polls.block[mine], polls.valid[mine], polls.correct[mine])
        if mine.size > 1 and polls.valid[mine].any():
            alike.setdefault(b"|".join(column.tobytes() for column in columns), []).append(name)
    groups = [" = ".join(names) for names in alike.values() if len(names) > 1]
    if groups:
        yield Finding(
            "identical_agents",
            f"Agents that are right and wrong in the same blocks, all of them: {listed(groups)}; choosing "
            "between them changes nothing.",
        )


def _one_answer(polls: _Polls) -> Iterator[Finding]:
    """Agents that gave one answer to two problems or more and never another."""
    same = []
    for code, name in enumerate(polls.agents):
        mine = polls.of(code) & (polls.answer >= 0)
        problems = np.unique(polls.problem[mine]).size
        if problems > 1 and np.unique(polls.answer[mine]).size == 1:
            same.append(f"{name} ({problems} problems)")
    if same:
        yield Finding("one_answer", f"One answer, the same to every problem: {listed(same)}.")


def _constant_confidence(polls: _Polls) -> Iterator[Finding]:
    """Scores of valid candidates that never vary, over all agents or within some of them."""
    scores = polls.score[polls.valid]
    if scores.size > 1 and np.unique(scores).size == 1:
        yield Finding(
            "constant_confidence",
            f"Every valid candidate has the score {scores[0]:g}: AUROC, PCCA and calibration say nothing "
            "about these agents.",
        )
        return
    fixed = []
    for code, name in enumerate(polls.agents):
        mine = polls.score[polls.of(code) & polls.valid]
        if mine.size > 1 and np.unique(mine).size == 1:
            fixed.append(f"{name} ({mine[0]:g} in all {mine.size} candidates)")
    if fixed:
        yield Finding(
            "constant_agent_confidence",
            f"Confidence that never varies: {listed(fixed)}; within such an agent AUROC, PCCA and "
            "calibration say nothing.",
        )
