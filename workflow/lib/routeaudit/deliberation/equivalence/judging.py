"""Judging models on the pairs that no rule decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from routeaudit.config.deliberation import JudgeConfig
from routeaudit.deliberation.equivalence.normalise import normalise
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.panel import Ask, Panel
from routeaudit.deliberation.protocol.requests import request
from routeaudit.deliberation.trace import DIVERGENT, EQUIVALENT, UNDECIDED
from routeaudit.execution import Completion, Request


@dataclass(frozen=True, order=True)
class AnswerPair:
    """Two normal forms of answers to one problem, in sorted order: a verdict does not depend on who said
    which."""

    problem_uid: str
    first: str
    second: str

    @classmethod
    def of(cls, problem: Problem, one: str, other: str) -> AnswerPair:
        first, second = sorted(normalise(problem, answer) for answer in (one, other))
        return cls(problem.uid, first, second)


Verdicts = Mapping[AnswerPair, str]


def judge_pairs(
    panel: Panel,
    judge: str,
    config: JudgeConfig,
    pairs: Iterable[AnswerPair],
    problems: Mapping[str, Problem],
) -> dict[AnswerPair, str]:
    """The judge's verdict on each pair: equivalent, divergent, or undecided where its reply does not
    parse."""
    wanted = sorted(set(pairs))
    requests = [_request(config, pair, problems[pair.problem_uid]) for pair in wanted]
    replies = panel.ask(f"judge {judge}", [Ask(judge, made) for made in requests])
    return {pair: _verdict(reply.completion) for pair, reply in zip(wanted, replies, strict=True)}


def _request(config: JudgeConfig, pair: AnswerPair, problem: Problem) -> Request:
    asked = f"Problem: {problem.question}\nAnswer 1: {pair.first}\nAnswer 2: {pair.second}"
    schema = {
        "type": "object",
        "properties": {"verdict": {"enum": [EQUIVALENT, DIVERGENT]}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
    return request(config.prompt, asked, schema=schema)


def _verdict(completion: Completion) -> str:
    if completion.status != "ok":
        return UNDECIDED
    return EQUIVALENT if f'"{EQUIVALENT}"' in completion.text else DIVERGENT


def model_family(name: str) -> str:
    """The family of a model by its name: the words before the first that holds a number, without digits.

    ``openai/gpt-oss-120b`` -> gpt-oss, ``google/gemma-4-31B-it`` -> gemma, ``SmolLM2-135M`` -> smollm.
    """
    words = name.rsplit("/", 1)[-1].lower().split("-")
    kept: list[str] = []
    for word in words:
        bare = re.sub(r"[\d.]+$", "", word) if not kept else word
        if re.search(r"\d", bare):
            break
        kept.append(bare)
        if bare != word:
            break
    return "-".join(kept)


def same_family(judge: str, actors: Sequence[str]) -> bool:
    """Whether a judge's model is of the family of any actor's."""
    return model_family(judge) in {model_family(actor) for actor in actors}
