"""What is asked of a model and what comes back: immutable, and keyed by all that determines the answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from routeaudit.tables import canonical_json, text_digest

Role = Literal["system", "user", "assistant"]
Status = Literal["ok", "invalid_run", "missing"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Decoding:
    """How an answer is decoded: at most `max_tokens` tokens, cut before any of the `stop` strings."""

    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # 0 and 0.0 are one temperature but two JSON texts, hence two keys.
        object.__setattr__(self, "temperature", float(self.temperature))


@dataclass(frozen=True, slots=True)
class Identity:
    """What answers a request, as far as it determines the text.

    Parameters
    ----------
    backend : name of the backend
    model, revision : the model's name and its version
    weights : sha256 of the weights (or of their manifest); empty where only the server knows them
    engine : inference engine and its version
    precision : number format of the weights or of the computation
    threads : CPU threads of one forward pass, because they change the text; 0 where it does not apply
    settings : further engine settings that change the text, sorted by name
    """

    backend: str
    model: str
    revision: str
    weights: str
    engine: str
    precision: str
    threads: int = 0
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def digest(self) -> str:
        """sha256 of the identity's canonical JSON."""
        return text_digest(canonical_json(asdict(self)))

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Identity:
        """The identity that `dataclasses.asdict` and JSON wrote."""
        settings = tuple((str(name), str(value)) for name, value in fields["settings"])
        return cls(**{**fields, "settings": settings})


@dataclass(frozen=True, slots=True)
class Request:
    """One conversation to be continued.

    Parameters
    ----------
    messages : the whole conversation, few-shot examples included
    decoding : how the answer is decoded
    n_prefix : number of leading messages shared with other requests (a few-shot prefix)
    schema : JSON schema that the answer must meet, as text: the order of properties matters to a model
    logprobs : number of alternatives per token whose log probabilities are wanted; None for none at all
    replicate : which of several independent repetitions this is
    stage_version : raised by hand when a stage asks the same words for another purpose
    """

    messages: tuple[Message, ...]
    decoding: Decoding
    n_prefix: int = 0
    schema: str | None = None
    logprobs: int | None = None
    replicate: int = 0
    stage_version: str = "1"

    def __post_init__(self) -> None:
        if not 0 <= self.n_prefix < len(self.messages):
            raise ValueError(f"n_prefix {self.n_prefix} must lie in [0, {len(self.messages)})")

    @property
    def prefix(self) -> tuple[Message, ...]:
        """The leading messages shared with other requests."""
        return self.messages[: self.n_prefix]

    def key(self, identity: Identity) -> str:
        """sha256 over everything that determines the answer: the request and who answers it."""
        return text_digest(canonical_json({"identity": asdict(identity), "request": asdict(self)}))


def schema_text(schema: Mapping[str, Any]) -> str:
    """A JSON schema as a request carries it: compact, in the order given."""
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written. `cached_tokens` depends on what ran before, so no content digest sees it."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A generated token, its natural log probability, and the alternatives that were asked for."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer to one request.

    Parameters
    ----------
    text : what the model wrote; empty where there is no answer
    finish_reason : why generation ended (``stop``, ``length``, ...)
    status : ``ok``; ``invalid_run`` (the model failed: scores 0); ``missing`` (the infrastructure failed)
    usage : token counts
    logprobs : one entry per generated token, or None where not asked for
    seconds : wall time from sending to the end of this answer
    detail : what went wrong, where the status is not ``ok``
    """

    text: str
    finish_reason: str = "stop"
    status: Status = "ok"
    usage: Usage = field(default_factory=Usage)
    logprobs: tuple[TokenLogprob, ...] | None = None
    seconds: float = 0.0
    detail: str = ""

    @classmethod
    def missing(cls, detail: str) -> Completion:
        """No answer, because the infrastructure failed."""
        return cls("", "error", "missing", detail=detail)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Completion:
        """The completion that `dataclasses.asdict` and JSON wrote."""
        stored = fields["logprobs"]
        logprobs = None if stored is None else tuple(_token_from_json(token) for token in stored)
        return cls(**{**fields, "usage": Usage(**fields["usage"]), "logprobs": logprobs})


def _token_from_json(token: Mapping[str, Any]) -> TokenLogprob:
    return TokenLogprob(
        token["token"], token["logprob"], tuple((text, value) for text, value in token["top"])
    )


def completions_digest(completions: Mapping[str, Completion]) -> str:
    """sha256 over what was answered, in key order; times and cache counts stay out of it."""
    total = hashlib.sha256()
    for key in sorted(completions):
        answer = completions[key]
        said = [key, answer.text, answer.finish_reason, answer.status, answer.usage.completion_tokens]
        total.update(canonical_json(said).encode() + b"\n")
    return total.hexdigest()
