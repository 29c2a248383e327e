"""Requests of every stage: prompt, visible context, decoding and schema."""

from __future__ import annotations

from typing import Any

from routeaudit.config.deliberation import PollConfig, PoolConfig
from routeaudit.config.prompts import PromptConfig
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.views import Seat
from routeaudit.execution import Decoding, Message, Request, schema_text
from routeaudit.tables import canonical_json, text_digest

# Raised by hand when building a request or reading a reply changes what a deliberation would say.
STAGE_VERSION = "deliberation-1"


def conversation(prompt: PromptConfig, asked: str) -> tuple[tuple[Message, ...], int]:
    """Instruction, worked examples and the question; with the length of the part that all such calls
    share."""
    shared = [Message("system", prompt.instruction)] if prompt.instruction else []
    for example in prompt.examples:
        shared += [Message("user", example.asked), Message("assistant", example.answered)]
    return (*shared, Message("user", asked)), len(shared)


def request(
    prompt: PromptConfig,
    asked: str,
    temperature: float = 0.0,
    seed: int = 0,
    replicate: int = 0,
    schema: dict[str, Any] | None = None,
    logprobs: int | None = None,
) -> Request:
    """One request. At temperature 0 seed and replicate cannot matter and stay out of its key, so that
    equal views are asked once."""
    messages, shared = conversation(prompt, asked)
    draws = temperature > 0
    return Request(
        messages=messages,
        decoding=Decoding(prompt.max_tokens, temperature, seed if draws else 0, prompt.stop),
        n_prefix=shared,
        schema=None if schema is None else schema_text(schema),
        logprobs=logprobs,
        replicate=replicate if draws else 0,
        stage_version=STAGE_VERSION,
    )


def seen_digest(asked: Request) -> str:
    """Digest of everything a call saw: its messages."""
    return text_digest(canonical_json([[message.role, message.content] for message in asked.messages]))


def seats(pool: PoolConfig) -> tuple[Seat, ...]:
    """The agents of a pool: a1, a2, ..."""
    personas = pool.personas or ("",)
    return tuple(Seat(f"a{i + 1}", i, personas[i % len(personas)]) for i in range(pool.size))


def poll_schema(problem: Problem, config: PollConfig) -> dict[str, Any]:
    """The JSON schema of a poll, its properties in the declared order."""
    held = config.constrain_options and problem.kind == "choice"
    kinds: dict[str, Any] = {
        "score": {"enum": list(config.levels)}
        if config.confidence == "levels"
        else {"type": "integer", "minimum": 0, "maximum": 100},
        "reason": {"type": "string"},
        "intent": {"type": "string"},
        "candidate_answer": {"enum": list(problem.options)} if held else {"type": "string"},
        "has_candidate_answer": {"type": "boolean"},
    }
    return _object({name: kinds[name] for name in config.fields})


BALLOT = {"approve": {"type": "boolean"}, "revision": {"type": "string"}}
EVALUATION = {
    "verdict": {"enum": ["PASS", "FAIL"]},
    "correct": {"type": "boolean"},
    "hint": {"type": "string"},
}


def ballot_schema() -> dict[str, Any]:
    """The JSON schema of a vote."""
    return _object(BALLOT)


def evaluation_schema() -> dict[str, Any]:
    """The JSON schema of an evaluation."""
    return _object(EVALUATION)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
