"""The OpenAI chat protocol's words for our requests and completions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from routeaudit.execution.requests import Completion, Message, Request, TokenLogprob, Usage


def chat_messages(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    """Messages as the protocol has them."""
    return [{"role": message.role, "content": message.content} for message in messages]


def chat_body(request: Request) -> dict[str, Any]:
    """The body of a chat request, without the model's name."""
    decoding = request.decoding
    body: dict[str, Any] = {
        "messages": chat_messages(request.messages),
        "max_tokens": decoding.max_tokens,
        "temperature": decoding.temperature,
        "seed": decoding.seed + request.replicate,
    }
    if decoding.stop:
        body["stop"] = list(decoding.stop)
    if request.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    if request.schema is not None:
        wanted = {"name": "answer", "schema": json.loads(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return body


def chat_completion(answer: Mapping[str, Any], seconds: float) -> Completion:
    """A completion from the protocol's answer (as a mapping)."""
    choice = answer["choices"][0]
    logprobs = choice.get("logprobs")
    tokens = None if logprobs is None else tuple(_token(entry) for entry in logprobs.get("content") or ())
    return Completion(
        text=choice["message"].get("content") or "",
        finish_reason=choice.get("finish_reason") or "stop",
        usage=_usage(answer.get("usage") or {}),
        logprobs=tokens,
        seconds=seconds,
    )


def _usage(usage: Mapping[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
        int(details.get("cached_tokens") or 0),
    )


def _token(entry: Mapping[str, Any]) -> TokenLogprob:
    alternatives = entry.get("top_logprobs") or ()
    return TokenLogprob(
        entry["token"], entry["logprob"], tuple((other["token"], other["logprob"]) for other in alternatives)
    )
