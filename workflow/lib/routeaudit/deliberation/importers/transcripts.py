"""From a sequence of messages to polls and speeches.

A message that states a confidence is a poll. An agent's message without one is a speech. Polls up to the next
speech, or up to an agent's second poll, are one block; a speech belongs to the block before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from routeaudit.deliberation.equivalence.labelling import Labeller, labelled
from routeaudit.deliberation.equivalence.normalise import normalise, short_form
from routeaudit.deliberation.importers.base import (
    NO_OUTCOMES,
    Imported,
    Listed,
    Row,
    block_row,
    invalid_polls,
    poll_row,
    selection_row,
    speak_row,
    trace_of,
)
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.replies import last_box
from routeaudit.errors import InputError

_UNASKED = "the log holds no private poll beside the public messages"


@dataclass(frozen=True)
class Said:
    """One message: an agent's, the choice of the next speaker, or the task."""

    kind: Literal["agent", "selection", "task"]
    agent: str
    text: str


@dataclass(frozen=True)
class Reading:
    """How confidence and answer stand in a message.

    score_keys, answer_keys : names in a message that is a JSON object
    score_pattern, answer_pattern : else regular expressions whose first group is the value, the last match
        counting; a box counts as an answer, too
    """

    scale: float
    score_keys: tuple[str, ...] = ("score", "confidence")
    answer_keys: tuple[str, ...] = ("candidate_answer", "answer")
    score_pattern: str = r"(?i)confidence\s*[:=]\s*(-?\d+(?:\.\d+)?)"
    answer_pattern: str = r"(?im)^.*?answer\s*[:=]\s*(.+?)\s*$"

    def score(self, text: str) -> float | None:
        """The confidence that a message states."""
        stated = _stated(text, self.score_keys)
        if isinstance(stated, int | float) and not isinstance(stated, bool):
            return float(stated)
        found = re.findall(self.score_pattern, text) if stated is None else []
        return float(found[-1]) if found else None

    def answer(self, text: str) -> str | None:
        """The answer that a message states."""
        stated = _stated(text, self.answer_keys)
        if stated is not None:
            return str(stated).strip() or None
        boxed = last_box(text)
        found = re.findall(self.answer_pattern, text)
        return boxed or (found[-1].strip() or None if found else None)


def _stated(text: str, keys: Sequence[str]) -> Any:
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return next((value[key] for key in keys if key in value), None) if isinstance(value, dict) else None


@dataclass
class _Blocks:
    """The tables of one or more logs while they are read."""

    reading: Reading
    problems: Mapping[str, Problem]
    blocks: list[Row] = field(default_factory=list)
    polls: list[Row] = field(default_factory=list)
    selections: list[Row] = field(default_factory=list)
    speaks: list[Row] = field(default_factory=list)
    listed: list[Listed] = field(default_factory=list)

    def read(self, uid: str, messages: Sequence[Said]) -> None:
        """Add one log."""
        polled: set[str] = set()
        spoken = True
        public: list[str] = []
        for said in messages:
            score = self.reading.score(said.text) if said.kind == "agent" else None
            if said.kind == "selection" and polled:
                self._select(said.agent, polled)
            elif score is not None:
                if spoken or said.agent in polled:
                    self._open(uid, public)
                    polled, spoken = set(), False
                self._poll(said, score, len(polled))
                polled.add(said.agent)
            elif said.kind == "agent":
                spoken = self._speak(uid, said, polled, spoken, public)

    def _open(self, uid: str, public: Sequence[str]) -> None:
        turn = sum(block["trace"] == uid for block in self.blocks)
        problem = self.problems.get(uid)
        told = {} if problem is None else {"tier": problem.tier, "difficulty": problem.difficulty}
        self.blocks.append(block_row(uid, uid, 0, turn, public_seen=list(public), **told))

    def _poll(self, said: Said, score: float, order: int) -> None:
        answer = self.reading.answer(said.text)
        known = {"score_raw": score, "answer": answer, "answer_norm": self._form(answer)}
        self.polls.append(
            poll_row(
                self.blocks[-1],
                said.agent,
                order,
                has_candidate=answer is not None,
                reason=said.text,
                **known,
            )
        )

    def _select(self, agent: str, polled: set[str]) -> None:
        block = self.blocks[-1]
        if agent not in polled:
            self.listed.append(
                Listed(f"{block['trace']} turn {block['turn']}", f"selected {agent} was not polled")
            )
        elif not self._selected(block):
            self.selections.append(selection_row(block, agent, "as logged"))

    def _selected(self, block: Row) -> bool:
        keys = ("trace", "round", "turn")
        return any(all(row[key] == block[key] for key in keys) for row in self.selections)

    def _speak(self, uid: str, said: Said, polled: set[str], spoken: bool, public: list[str]) -> bool:
        """Record a speech; what cannot be one is listed. Returns whether the block has its speech."""
        if said.agent not in polled or spoken:
            why = "speaks outside a block" if not polled or spoken else "speaks without having been polled"
            self.listed.append(Listed(f"{uid}, {said.agent}: {said.text[:40]!r}", why))
            return spoken
        block = self.blocks[-1]
        self._select(said.agent, polled)
        answer = self.reading.answer(said.text)
        self.speaks.append(
            speak_row(block, said.agent, text=said.text, spoken=answer, spoken_norm=self._form(answer))
        )
        public.append(f"0.{block['turn']}")
        return True

    def _form(self, answer: str | None) -> str | None:
        if answer is None:
            return None
        problem = self.problems.get(self.blocks[-1]["trace"])
        return (short_form(answer) if problem is None else normalise(problem, answer)) or None


def import_transcripts(
    logs: Mapping[str, Sequence[Said]], reading: Reading, problems: Mapping[str, Problem], source: str
) -> Imported:
    """The trace of message logs by problem uid; labels where the problem is known.

    Raises
    ------
    InputError : no message of any log states a confidence
    """
    found = _Blocks(reading, problems)
    for uid, messages in logs.items():
        found.read(uid, messages)
    if not found.polls:
        raise InputError(
            source,
            "messages that state a confidence",
            f"none among {sum(map(len, logs.values()))} messages",
            "set score_keys or score_pattern to how your agents state it",
        )
    trace = trace_of(_tables(found), reading.scale, _lacks(found, problems), benchmark=source)
    if problems and all(block["problem_uid"] in problems for block in found.blocks):
        trace = labelled(trace, Labeller(problems))
    counts = {
        "messages": sum(map(len, logs.values())),
        "blocks": len(found.blocks),
        "polls": len(found.polls),
        "speaks": len(found.speaks),
    }
    return Imported(trace, counts, invalid_polls(found.polls, reading.scale) + tuple(found.listed))


def _tables(found: _Blocks) -> dict[str, list[Row]]:
    tables = {"blocks": found.blocks, "polls": found.polls}
    every_block = len(found.selections) == len(found.blocks)
    return (
        tables
        | ({"selections": found.selections} if every_block else {})
        | ({"speaks": found.speaks} if found.speaks else {})
    )


def _lacks(found: _Blocks, problems: Mapping[str, Problem]) -> dict[str, str]:
    lacks = {"outcomes": NO_OUTCOMES, "incumbent": "the log names no system incumbent"}
    if len(found.selections) != len(found.blocks):
        lacks["selections"] = (
            f"{len(found.selections)} of {len(found.blocks)} polls are followed by a selection"
        )
    if not found.speaks:
        lacks["speaks"] = _UNASKED
    unknown = sorted({block["problem_uid"] for block in found.blocks} - set(problems))
    if unknown:
        lacks["labels"] = (
            f"no reference answer for {', '.join(unknown[:3])}{' ...' if len(unknown) > 3 else ''}"
        )
    return lacks
