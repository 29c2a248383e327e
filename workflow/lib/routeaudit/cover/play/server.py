"""ToolSandbox behind a pipe: one JSON request a line in, one JSON answer a line out.

This file runs under an interpreter of its own, because ToolSandbox pins other versions of libraries that this
project uses; it imports ToolSandbox and the standard library, and nothing of this project. Clock, random ids
and the order of tools are fixed before ToolSandbox is imported, so equal requests get equal answers.
"""

from __future__ import annotations

import copy
import datetime
import functools
import hashlib
import json
import os
import random
import sys
import time
import uuid
from pathlib import Path
from typing import Any

# Monday, 3 June 2024, 12:00 UTC: the moment at which every play begins and ends.
CLOCK = 1717416000.0
_CALL_ID = "call"


def _stand_still() -> None:
    """Fix what would differ between runs: the time zone, the clock, random ids, shuffled tools."""
    os.environ["TZ"] = "UTC"
    time.tzset()

    class Still(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Still:
            return cls.fromtimestamp(CLOCK, tz)

    datetime.datetime = Still  # type: ignore[misc]
    random.seed(0)
    uuid.uuid4 = lambda: uuid.UUID(int=random.getrandbits(128), version=4)


class Server:
    """ToolSandbox's scenarios, and the one that is being played."""

    def __init__(self) -> None:
        from tool_sandbox.common import execution_context, message_conversion, tool_conversion
        from tool_sandbox.common.tool_discovery import ToolBackend
        from tool_sandbox.roles.base_role import BaseRole
        from tool_sandbox.roles.execution_environment import ExecutionEnvironment
        from tool_sandbox.scenarios import named_scenarios

        self._context, self._conversion, self._tools = execution_context, message_conversion, tool_conversion
        self._role = BaseRole
        self._environment = ExecutionEnvironment()
        self._scenarios = named_scenarios(preferred_tool_backend=ToolBackend.DEFAULT)
        self._played: Any = None
        self._last_index = 0

    def hello(self) -> dict[str, Any]:
        """What the sandbox is: the digest of its source files and the number of its scenarios."""
        return {"sandbox_sha256": _source_digest(), "scenarios": len(self._scenarios)}

    def scenario(self, name: str) -> dict[str, Any] | None:
        """What a scenario allows and demands; None where there is none of that name."""
        if name not in self._scenarios:
            return None
        scenario = self._scenarios[name]
        context, evaluation = scenario.starting_context, scenario.evaluation
        return {
            "name": name,
            "request": [m["content"] for m in self._visible(context) if m["sender"] == "USER"],
            "tools": sorted(context.get_available_tools(scrambling_allowed=False)),
            "milestones": [_milestone(m) for m in evaluation.milestone_matcher.milestones],
            "edges": [list(edge) for edge in evaluation.milestone_matcher.milestone_dag.edges],
            "minefields": [_milestone(m) for m in evaluation.minefield_matcher.milestones],
        }

    def start(self, name: str, tools: list[str]) -> dict[str, Any]:
        """Begin a scenario with these tools alone, named as the execution environment names them."""
        self._played = self._scenarios[name]
        random.seed(0)
        context = copy.deepcopy(self._played.starting_context)
        context.tool_allow_list = sorted({*tools, "end_conversation"} & set(context.tool_allow_list))
        self._context.set_current_context(context)
        self._import_tools(context)
        self._last_index = context.max_sandbox_message_index + self._played.max_messages
        available = {k: v for k, v in self._role_tools(context).items() if v.__name__ in tools}
        return {
            "names": {tool.__name__: name for name, tool in available.items()},
            "tools": self._tools.convert_to_openai_tools(available),
            "conversation": self._visible(context),
            "open": self._open(),
        }

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The agent calls a tool by the name it sees; `trace` is None where the call raised an error."""
        context = self._context.get_current_context()
        from openai.types.chat.chat_completion_message_tool_call import (
            ChatCompletionMessageToolCall,
            Function,
        )

        call = ChatCompletionMessageToolCall(
            id=_CALL_ID, type="function", function=Function(name=tool, arguments=json.dumps(arguments))
        )
        code = self._conversion.openai_tool_call_to_python_code(
            call,
            available_tool_names=set(self._role_tools(context)),
            execution_facing_tool_name=context.get_execution_facing_tool_name(tool),
        )
        self._add("AGENT", "EXECUTION_ENVIRONMENT", code, tool)
        self._environment.respond()
        reply = self._role.get_messages()[-1]
        trace = json.loads(reply.tool_trace[0]) if reply.tool_trace else None
        return {"text": reply.content, "trace": trace, "open": self._open()}

    def say(self, text: str) -> dict[str, Any]:
        """The agent speaks to the user."""
        self._add("AGENT", "USER", text)
        return {"open": self._open()}

    def answer(self, text: str) -> dict[str, Any]:
        """The user speaks to the agent."""
        self._add("USER", "AGENT", text)
        return {"open": self._open()}

    def end(self) -> dict[str, Any]:
        """The user ends the conversation."""
        self._add("USER", "EXECUTION_ENVIRONMENT", "end_conversation()")
        self._environment.respond()
        return {"open": self._open()}

    def extract(self, milestone: int, constraint: int, trace: dict[str, Any]) -> list[dict[str, Any]]:
        """What a milestone takes from an earlier call's trace, in the forms that it accepts."""
        snapshot = self._played.evaluation.milestone_matcher.milestones[milestone].snapshot_constraints
        extractor = snapshot[constraint].snapshot_constraint.keywords["extractor"]
        try:
            found: list[dict[str, Any]] = extractor(trace)
        except (KeyError, IndexError, TypeError, ValueError):
            return []
        return found

    def evaluate(self) -> dict[str, Any]:
        """ToolSandbox's own evaluation of what was played."""
        context = self._context.get_current_context()
        result = self._played.evaluation.evaluate(
            execution_context=context, max_turn_count=self._played.max_messages
        )
        return {
            "milestones": float(result.milestone_similarity),
            "minefields": float(result.minefield_similarity),
            "similarity": float(result.similarity),
            "turns": int(result.turn_count),
        }

    def _import_tools(self, context: Any) -> None:
        """Let the execution environment read the system's messages to it, as ToolSandbox's `play` does."""
        system = self._context.RoleType.SYSTEM
        for index, message in enumerate(self._role.get_messages()):
            if message.sender == system and message.recipient == self._environment.role_type:
                self._environment.respond(ending_index=index)

    def _role_tools(self, context: Any) -> dict[str, Any]:
        """The agent's tools by the names that it sees."""
        agent = self._context.RoleType.AGENT
        return {
            name: tool
            for name, tool in context.get_available_tools(scrambling_allowed=True).items()
            if agent in getattr(tool, "visible_to", (agent,))
        }

    def _visible(self, context: Any) -> list[dict[str, str]]:
        """What was said to or by the agent; the user's few-shot examples are not."""
        messages = context.get_database(
            self._context.DatabaseNamespace.SANDBOX, get_all_history_snapshots=True
        ).to_dicts()
        return [
            {"sender": m["sender"], "content": m["content"]}
            for m in messages
            if "AGENT" in (m["sender"], m["recipient"])
            and (m["visible_to"] is None or "AGENT" in m["visible_to"])
        ]

    def _add(self, sender: str, recipient: str, content: str, tool: str | None = None) -> None:
        call = None if tool is None else _CALL_ID
        message = self._conversion.Message(
            sender=sender,
            recipient=recipient,
            content=content,
            openai_tool_call_id=call,
            openai_function_name=tool,
        )
        self._role.add_messages([message])

    def _open(self) -> bool:
        """Whether the conversation goes on: nobody ended it, and ToolSandbox's limit is not reached."""
        context = self._context.get_current_context()
        last = context.get_database(self._context.DatabaseNamespace.SANDBOX)
        return bool(last["conversation_active"][-1]) and context.max_sandbox_message_index < self._last_index


def _milestone(milestone: Any) -> list[dict[str, Any]]:
    return [_constraint(constraint) for constraint in milestone.snapshot_constraints]


def _constraint(constraint: Any) -> dict[str, Any]:
    measure, target = constraint.snapshot_constraint, constraint.target_dataframe
    while isinstance(measure, functools.partial):
        measure = measure.func
    return {
        "namespace": str(constraint.database_namespace),
        "constraint": measure.__name__,
        "target": None if target is None else target.to_dicts(),
        "reference": constraint.reference_milestone_node_index,
    }


def _source_digest() -> str:
    """sha256 over ToolSandbox's source files by name."""
    import tool_sandbox

    folder = Path(tool_sandbox.__file__).parent
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        total.update(f"{path.relative_to(folder).as_posix()} {_digest(path)}\n".encode())
    return total.hexdigest()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Answer requests until standard input ends; what tools print goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    _stand_still()
    server = Server()
    for line in sys.stdin:
        asked = json.loads(line)
        said = getattr(server, asked.pop("do"))(**asked)
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
