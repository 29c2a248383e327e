"""The world that is played in: ToolSandbox in a process of its own, behind a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Protocol

from routeaudit.cover.play import server
from routeaudit.cover.play.demands import Demands, demands_of
from routeaudit.errors import InputError

_HINT = "see docs/benchmarks.md, ToolSandbox played"


@dataclass(frozen=True)
class Opening:
    """How a play begins.

    Parameters
    ----------
    names : tool -> the name by which the agent sees it; only tools that it has
    tools : the same tools as OpenAI function descriptions
    conversation : (sender, text) of what was said so far
    """

    names: Mapping[str, str]
    tools: tuple[Mapping[str, Any], ...]
    conversation: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reply:
    """What a tool call gave: its text, and its trace (tool_name, arguments, result), None after an error."""

    text: str
    trace: Mapping[str, Any] | None


@dataclass(frozen=True)
class Evaluation:
    """ToolSandbox's result: mean similarity to the milestones and the minefields, both combined, turns."""

    milestones: float
    minefields: float
    similarity: float
    turns: int


class World(Protocol):
    """A sandbox in which one scenario at a time is played."""

    @property
    def open(self) -> bool:
        """Whether the conversation goes on."""
        ...

    def demands(self, scenario: str) -> Demands:
        """What a scenario demands. Raises InputError where there is none of that name."""
        ...

    def start(self, scenario: str, tools: frozenset[str]) -> Opening:
        """Begin a scenario with these tools alone."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """The agent calls a tool by the name it sees."""
        ...

    def say(self, text: str) -> None:
        """The agent speaks to the user."""
        ...

    def answer(self, text: str) -> None:
        """The user speaks to the agent."""
        ...

    def end(self) -> None:
        """The user ends the conversation."""
        ...

    def extract(self, milestone: int, constraint: int, trace: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What a milestone takes from an earlier call, in the forms that it accepts."""
        ...

    def evaluate(self) -> Evaluation:
        """The sandbox's own evaluation of what was played."""
        ...


class Sandbox:
    """A `World` whose sandbox answers over a pipe; `sandbox_sha256` is the digest of its source files."""

    def __init__(self, process: subprocess.Popen[str], told: IO[str]) -> None:
        self._process = process
        self._told = told
        self.open = False
        self.sandbox_sha256: str = self._ask("hello")["sandbox_sha256"]
        self._demands = lru_cache(maxsize=None)(self._read_demands)

    def demands(self, scenario: str) -> Demands:
        """As `World`."""
        return self._demands(scenario)

    def _read_demands(self, scenario: str) -> Demands:
        said = self._ask("scenario", name=scenario)
        if said is None:
            raise InputError(
                f"scenario {scenario!r}", "a scenario that this ToolSandbox has", "none of that name", _HINT
            )
        return demands_of(said)

    def start(self, scenario: str, tools: frozenset[str]) -> Opening:
        """As `World`."""
        said = self._heard(self._ask("start", name=scenario, tools=sorted(tools)))
        conversation = tuple((turn["sender"], turn["content"]) for turn in said["conversation"])
        return Opening(said["names"], tuple(said["tools"]), conversation)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """As `World`."""
        said = self._heard(self._ask("call", tool=tool, arguments=dict(arguments)))
        return Reply(said["text"], said["trace"])

    def say(self, text: str) -> None:
        """As `World`."""
        self._heard(self._ask("say", text=text))

    def answer(self, text: str) -> None:
        """As `World`."""
        self._heard(self._ask("answer", text=text))

    def end(self) -> None:
        """As `World`."""
        self._heard(self._ask("end"))

    def extract(self, milestone: int, constraint: int, trace: Mapping[str, Any]) -> list[dict[str, Any]]:
        """As `World`."""
        found: list[dict[str, Any]] = self._ask(
            "extract", milestone=milestone, constraint=constraint, trace=dict(trace)
        )
        return found

    def evaluate(self) -> Evaluation:
        """As `World`."""
        return Evaluation(**self._ask("evaluate"))

    def _heard(self, said: dict[str, Any]) -> dict[str, Any]:
        self.open = said["open"]
        return said

    def _ask(self, do: str, **arguments: Any) -> Any:
        sent, received = self._process.stdin, self._process.stdout
        assert sent is not None
        assert received is not None
        try:
            sent.write(json.dumps({"do": do} | arguments) + "\n")
            sent.flush()
        except BrokenPipeError:
            raise self._gone(do) from None
        line = received.readline()
        if not line:
            raise self._gone(do)
        return json.loads(line)

    def _gone(self, do: str) -> InputError:
        self._process.wait()
        self._told.seek(0)
        last = next((line for line in reversed(self._told.readlines()) if line.strip()), "nothing").strip()
        return InputError(
            "execution.toolsandbox_python", f"ToolSandbox's answer to {do!r}", f"it ended: {last}", _HINT
        )


@contextmanager
def open_sandbox(python: str | None, sha256: str | None) -> Iterator[Sandbox]:
    """Start ToolSandbox under the interpreter `python`.

    Raises
    ------
    InputError : no interpreter is declared, it cannot import ToolSandbox, or ToolSandbox's files have another
        digest than `sha256`
    """
    if python is None:
        raise InputError(
            "execution.toolsandbox_python", "a Python interpreter that can import tool_sandbox", "none", _HINT
        )
    with tempfile.TemporaryFile("w+") as told, _started(python, told) as process:
        sandbox = Sandbox(process, told)
        if sha256 not in (None, sandbox.sandbox_sha256):
            raise InputError("ToolSandbox's source files", f"digest {sha256}", sandbox.sandbox_sha256, _HINT)
        yield sandbox


@contextmanager
def _started(python: str, told: IO[str]) -> Iterator[subprocess.Popen[str]]:
    # Without the key its search tools refuse, so nothing is fetched that nobody asked for.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RAPID_API_KEY")}
    try:
        process = subprocess.Popen(
            [python, str(Path(server.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
            env=environment | {"PYTHONHASHSEED": "0"},
        )
    except OSError as error:
        raise InputError("execution.toolsandbox_python", "an interpreter", str(error), _HINT) from None
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
