"""The model role: a language model chooses each next action, held to a schema of the tools it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from routeaudit.config.played import ModelRole
from routeaudit.cover.play.roles import Action, Call, Fault, Say
from routeaudit.cover.play.world import Opening, Reply
from routeaudit.execution import Completion, Decoding, Message, Request, schema_text

_STAGE_VERSION = "play-1"

Ask = Callable[[Request], Completion]


class Modelled:
    """A language model in one play.

    It reads the instruction, the descriptions of its tools and the conversation; a tool's reply comes back as
    a message of the user's side that begins with ``Result:``.
    """

    def __init__(self, opening: Opening, ask: Ask, role: ModelRole, replicate: int) -> None:
        self._ask = ask
        self._role = role
        self._replicate = replicate
        self._schema = schema_text(_schema(opening.tools))
        self._messages = _beginning(opening, role.instruction)

    def act(self, heard: Reply | str | None) -> Action:
        """As `Role`; a `Fault` where the model or its machine gave no valid action."""
        if heard is not None:
            told = f"Result: {heard.text}" if isinstance(heard, Reply) else heard
            self._messages.append(Message("user", told))
        completion = self._ask(self._request())
        if completion.status != "ok":
            return Fault(completion.status)
        self._messages.append(Message("assistant", completion.text))
        return _action(json.loads(completion.text)["next"])

    def _request(self) -> Request:
        role = self._role
        return Request(
            messages=tuple(self._messages),
            decoding=Decoding(role.max_tokens, role.temperature, role.seed),
            n_prefix=1,
            schema=self._schema,
            replicate=self._replicate,
            stage_version=_STAGE_VERSION,
        )


def _beginning(opening: Opening, instruction: str) -> list[Message]:
    """The system's part with the tools, then what was said before the agent's first turn."""
    system = [text for sender, text in opening.conversation if sender == "SYSTEM"]
    tools = [json.dumps(tool["function"], ensure_ascii=False) for tool in opening.tools]
    head = "\n".join([instruction, *system, "Tools:", *(tools or ["none"])])
    said = [
        Message("assistant" if sender == "AGENT" else "user", text)
        for sender, text in opening.conversation
        if sender != "SYSTEM"
    ]
    return [Message("system", head), *said]


def _schema(tools: tuple[Mapping[str, Any], ...]) -> dict[str, Any]:
    """One call of one tool, or a message; below a root object, which every server of schemas accepts."""
    say = _object({"say": {"type": "string", "minLength": 1}})
    calls = [
        _object({"tool": {"const": tool["function"]["name"]}, "arguments": _arguments(tool["function"])})
        for tool in tools
    ]
    return _object({"next": {"anyOf": [*calls, say]}})


def _arguments(function: Mapping[str, Any]) -> dict[str, Any]:
    return {**function["parameters"], "additionalProperties": False}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _action(chosen: Mapping[str, Any]) -> Action:
    return Say(chosen["say"]) if "say" in chosen else Call(chosen["tool"], chosen["arguments"])
