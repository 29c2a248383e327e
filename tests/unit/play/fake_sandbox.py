"""A small stand-in for ToolSandbox: as a world in this process, and as a program behind the same pipe.

Calls succeed and leave a trace. A milestone is reached when its tool was called, its database changed by the
tool that does it, or its message said; a minefield is hit when its tool was called.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

# The prefix of names under which the agent sees tools, so that mixing them up with their own names fails.
SEEN = "seen_"


def message(text: str, reference: int | None = None) -> dict[str, Any]:
    row = {"sender": "AGENT", "recipient": "USER", "content": text}
    measure = "snapshot_similarity" if reference is None else "tool_trace_dependant_similarity"
    return {"namespace": "SANDBOX", "constraint": measure, "target": [row], "reference": reference}


def traced(tool: str, reference: int | None = None, **arguments: Any) -> dict[str, Any]:
    row = {"recipient": "AGENT", "tool_trace": json.dumps({"tool_name": tool, "arguments": arguments})}
    return message("", reference) | {"target": [row]}


def changed(namespace: str, measure: str, **row: Any) -> dict[str, Any]:
    return {"namespace": namespace, "constraint": measure, "target": [row], "reference": -1}


def attempt(tool: str) -> dict[str, Any]:
    row = {"sender": "AGENT", "recipient": "EXECUTION_ENVIRONMENT", "content": tool}
    return message("") | {"target": [row]}


GUARD = {"namespace": "CONTACT", "constraint": "guardrail_similarity", "target": None, "reference": 0}


def scenario(
    name: str, milestones: list[Any], edges: list[Any] | None = None, minefields: list[Any] | None = None
) -> dict[str, Any]:
    chain = [[n, n + 1] for n in range(len(milestones) - 1)]
    return {
        "name": name,
        "request": [f"Please do {name}"],
        "tools": ["end_conversation", "search_contacts", "send_message_with_phone_number", "set_wifi_status"],
        "milestones": [each if isinstance(each, list) else [each] for each in milestones],
        "edges": chain if edges is None else edges,
        "minefields": [[mine] for mine in minefields or []],
    }


CALLED = scenario("wifi", [changed("SETTING", "snapshot_similarity", wifi=True), message("Wifi is on.")])
FOUND = scenario(
    "boss", [[traced("search_contacts", name="Homer S"), GUARD], message("He is {result}.", reference=0)]
)
SENT = scenario(
    "mail",
    [
        traced("search_contacts", name="Fredrik"),
        changed("MESSAGING", "addition_similarity", recipient_phone_number="+1", content="Hi"),
        message("Sent."),
    ],
)
MINED = scenario("impossible", [], minefields=[attempt("send_message_with_phone_number")])
TWICE = scenario("twice", [message("One."), message("Two.")])
SCENARIOS = {each["name"]: each for each in (CALLED, FOUND, SENT, MINED, TWICE)}


class FakeServer:
    """Answers as `routeaudit.cover.play.server.Server` does."""

    def __init__(self, limit: int = 30) -> None:
        self._limit = limit

    def hello(self) -> dict[str, Any]:
        return {"sandbox_sha256": "0" * 64, "scenarios": len(SCENARIOS)}

    def scenario(self, name: str) -> dict[str, Any] | None:
        return SCENARIOS.get(name.removesuffix("_all_tools"))

    def start(self, name: str, tools: list[str]) -> dict[str, Any]:
        self._played = SCENARIOS[name.removesuffix("_all_tools")]
        self._left, self._ended = self._limit, False
        self.called: list[str] = []
        self.said: list[str] = []
        self._tools = set(tools) & set(self._played["tools"]) - {"end_conversation"}
        parameters = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": []}
        return {
            "names": {tool: SEEN + tool for tool in sorted(self._tools)},
            "tools": [
                {"type": "function", "function": {"name": SEEN + tool, "parameters": parameters}}
                for tool in sorted(self._tools)
            ],
            "conversation": [
                {"sender": "SYSTEM", "content": "Do not guess."},
                *({"sender": "USER", "content": text} for text in self._played["request"]),
            ],
            "open": True,
        }

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        own = tool.removeprefix(SEEN)
        if not tool.startswith(SEEN) or own not in self._tools:
            raise KeyError(tool)
        self.called.append(own)
        trace = {"tool_name": own, "arguments": arguments, "result": "found"}
        return {"text": "found", "trace": trace} | self._turn(2)

    def say(self, text: str) -> dict[str, Any]:
        self.said.append(text)
        return self._turn(1)

    def answer(self, text: str) -> dict[str, Any]:
        return self._turn(1)

    def end(self) -> dict[str, Any]:
        self._ended = True
        return self._turn(2)

    def extract(self, milestone: int, constraint: int, trace: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"result": trace["result"]}]

    def evaluate(self) -> dict[str, Any]:
        reached = [all(map(self._met, each)) for each in self._played["milestones"]]
        milestones = sum(reached) / len(reached) if reached else 1.0
        hit = any(
            row["content"] in self.called for mine in self._played["minefields"] for row in mine[0]["target"]
        )
        return {
            "milestones": milestones,
            "minefields": float(hit),
            "similarity": 0.0 if hit else milestones,
            "turns": self._limit - self._left,
        }

    def _turn(self, messages: int) -> dict[str, Any]:
        self._left -= messages
        return {"open": not self._ended and self._left > 0}

    def _met(self, constraint: dict[str, Any]) -> bool:
        if constraint["namespace"] != "SANDBOX":
            tool = {"SETTING": "set_wifi_status", "MESSAGING": "send_message_with_phone_number"}
            return constraint["target"] is None or tool[constraint["namespace"]] in self.called
        (row,) = constraint["target"]
        if "tool_trace" in row:
            return json.loads(row["tool_trace"])["tool_name"] in self.called
        return row["content"].format(result="found") in self.said


def interpreter(folder: Path, *arguments: str) -> str:
    """An executable that answers as an interpreter with ToolSandbox would when it is given the server."""
    path = folder / "python-with-fake-sandbox"
    command = shlex.join([sys.executable, str(Path(__file__).resolve()), *arguments])
    path.write_text(f"#!/bin/sh\nexec {command}\n")
    path.chmod(0o755)
    return str(path)


def main() -> None:
    if "--broken" in sys.argv:
        raise SystemExit("ModuleNotFoundError: No module named 'tool_sandbox'")
    server = FakeServer()
    for line in sys.stdin:
        asked = json.loads(line)
        sys.stdout.write(json.dumps(getattr(server, asked.pop("do"))(**asked)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
