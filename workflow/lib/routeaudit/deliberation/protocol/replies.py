"""What the protocol reads out of a reply. Nothing is repaired: what does not parse is counted as invalid."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from routeaudit.config.deliberation import PollConfig, SpeakConfig
from routeaudit.deliberation.equivalence.normalise import option_named, short_form
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.confidence import answer_probability
from routeaudit.execution import Completion

_BOX = "\\boxed{"


@dataclass(frozen=True)
class PollReply:
    """A parsed poll; `fault` says why a reply is invalid, and then there is no score and no answer."""

    score: float | None = None
    has_candidate: bool = False
    answer: str | None = None
    intent: str | None = None
    reason: str | None = None
    fault: str | None = None

    @property
    def parse_ok(self) -> bool:
        return self.fault is None


def read_poll(completion: Completion, config: PollConfig) -> PollReply:
    """The poll that a completion is."""
    if completion.status != "ok":
        return PollReply(fault=completion.detail or completion.status)
    stated = _object(completion.text)
    if stated is None:
        return PollReply(fault="not a JSON object")
    score = _score(stated, completion, config)
    if isinstance(score, str):
        return PollReply(fault=score)
    answer = stated.get("candidate_answer")
    answer = answer.strip() if isinstance(answer, str) and answer.strip() else None
    offered = bool(stated.get("has_candidate_answer", answer is not None))
    return PollReply(score, offered, answer, _text(stated, "intent"), _text(stated, "reason"))


def _score(stated: dict[str, Any], completion: Completion, config: PollConfig) -> float | str:
    if config.confidence == "answer_tokens":
        found = answer_probability(completion.text, completion.logprobs)
        return "no probabilities of the answer's tokens" if found is None else found
    score = stated.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
        return "score is not a number"
    return float(score)


def _text(stated: dict[str, Any], name: str) -> str | None:
    value = stated.get(name)
    return value if isinstance(value, str) else None


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def spoken_answer(text: str, problem: Problem, config: SpeakConfig) -> str | None:
    """The answer that a speech states: its last box, else what follows the last marker on its line, else,
    of a choice, the one option that it names. None where it states none."""
    boxed = last_box(text)
    if boxed:
        return boxed
    _, found, after = text.rpartition(config.marker)
    line = after.strip().partition("\n")[0].strip().strip("*").strip() if found else ""
    if line:
        return line
    return _only_option(text, problem.options)


def last_box(text: str) -> str | None:
    r"""What the last ``\boxed{...}`` of a text holds, braces balanced."""
    start = text.rfind(_BOX)
    if start < 0:
        return None
    depth, begin = 1, start + len(_BOX)
    for i in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[begin:i].strip() or None
    return None


def _only_option(text: str, options: tuple[str, ...]) -> str | None:
    direct = option_named(options, text)
    if direct is not None:
        return text.strip()
    said = f" {short_form(text)} "
    named = [option for option in options if f" {short_form(option)} " in said]
    return named[0] if len(named) == 1 else None


@dataclass(frozen=True)
class Ballot:
    """One agent's vote; a reply that does not parse approves nothing and proposes nothing."""

    approve: bool | None
    revision: str | None


def read_ballot(completion: Completion) -> Ballot:
    """The vote that a completion is."""
    stated = _object(completion.text) if completion.status == "ok" else None
    if stated is None or not isinstance(stated.get("approve"), bool):
        return Ballot(None, None)
    revision = _text(stated, "revision")
    return Ballot(stated["approve"], revision.strip() if revision and revision.strip() else None)


@dataclass(frozen=True)
class Evaluation:
    """What the evaluator returned; all None where its reply did not parse."""

    passed: bool | None
    correct: bool | None
    hint: str | None


def read_evaluation(completion: Completion, problem: Problem, withheld: str) -> Evaluation:
    """The evaluation that a completion is; a hint that contains an accepted answer is withheld."""
    stated = _object(completion.text) if completion.status == "ok" else None
    if stated is None or stated.get("verdict") not in ("PASS", "FAIL"):
        return Evaluation(None, None, None)
    correct = stated.get("correct")
    hint = _text(stated, "hint")
    if hint is not None and leaks(hint, problem):
        hint = withheld
    return Evaluation(stated["verdict"] == "PASS", correct if isinstance(correct, bool) else None, hint)


def leaks(hint: str, problem: Problem) -> bool:
    """Whether a hint contains the reference or an alias, after normalisation."""
    said = f" {short_form(hint)} "
    return any(f" {short_form(accepted)} " in said for accepted in (problem.answer, *problem.aliases))
