"""The scripted role: an oracle with allowed tools.

Milestones are taken in the order of ToolSandbox's graph. One is attempted once all milestones right before it
were served; it is served when its calls were allowed and raised no error, and its message was said. What a
milestone wants of a database is done by the one tool that does it. Arguments come from the milestone; what it
leaves open comes from `OPEN_ARGUMENTS`, what it takes from an earlier call from that call's trace. Before all
this, the role makes every call that a minefield punishes and that its tools permit: it is over-eager, because
a careful oracle that has all tools is never wrong. It knows arguments, but no result that it did not get:
without the call before it, a message is not said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from routeaudit.cover.benchmarks.toolsandbox.families import is_tool
from routeaudit.cover.play.demands import SANDBOX, Constraint, Demands, Milestone
from routeaudit.cover.play.roles import Action, Call, Say
from routeaudit.cover.play.world import Opening, Reply

# The smallest timestamp that ToolSandbox's tools accept, and the reminder that they may always find.
_EARLIEST = 315529200.0
_REMINDER = "54f20be9-eac3-5e76-8e57-724e48d3d477"
OPEN_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "search_contacts": {"is_self": False},
    "search_messages": {"creation_timestamp_lowerbound": _EARLIEST},
    "search_reminder": {"creation_timestamp_lowerbound": _EARLIEST},
    "datetime_info_to_timestamp": {"year": 2024, "month": 6, "day": 3, "hour": 12, "minute": 0, "second": 0},
    "modify_reminder": {"reminder_id": _REMINDER, "reminder_timestamp": _EARLIEST},
    "remove_reminder": {"reminder_id": _REMINDER},
}
_SETTERS = {
    "cellular": "set_cellular_service_status",
    "location_service": "set_location_service_status",
    "low_battery_mode": "set_low_battery_mode_status",
    "wifi": "set_wifi_status",
}
_VERBS = {"addition_similarity": "add", "removal_similarity": "remove", "update_similarity": "modify"}
_STUCK = "I cannot do more than this with the tools that I have."

Extract = Callable[[int, int, Mapping[str, Any]], Sequence[Mapping[str, Any]]]
Steps = Generator[Action, Reply | str | None, bool]


def tools_wanted(demands: Demands) -> frozenset[str]:
    """The tools that the role would call if it had them all: no others change what it does."""
    calls = [call for milestone in demands.milestones for call in calls_of(milestone, {})]
    mines = [call for mine in demands.minefields for call in mine_calls(mine)]
    return frozenset(call.tool for call in (*calls, *mines))


def calls_of(milestone: Milestone, taken: Mapping[str, Any]) -> list[Call]:
    """The calls that a milestone asks for, by the tools' own names; `taken` comes from earlier calls."""
    changes = [call for each in milestone if each.changes_database for call in _changes(each)]
    traced = [row for each in milestone for row in each.target if row.get("tool_trace") is not None]
    return [*changes, *([_traced_call(traced, taken)] if traced else [])]


def _changes(constraint: Constraint) -> list[Call]:
    """A call for each row of a database that is to change."""
    if constraint.namespace == "SETTING":
        wanted = [(name, on) for row in constraint.target for name, on in row.items()]
        return [Call(_SETTERS[name], {"on": on}) for name, on in wanted]
    if constraint.namespace == "MESSAGING":
        return [
            _call(
                "send_message_with_phone_number",
                {"phone_number": row["recipient_phone_number"], "content": row["content"]},
            )
            for row in constraint.target
        ]
    tool = f"{_VERBS[constraint.measure]}_{constraint.namespace.lower()}"
    return [_call(tool, row) for row in constraint.target]


def _traced_call(rows: Sequence[Mapping[str, Any]], taken: Mapping[str, Any]) -> Call:
    """The one call that traces ask for: the first alternative of each, their arguments together."""
    traces = [_first_trace(row) for row in rows]
    arguments = dict(taken)
    for trace in traces:
        arguments |= trace["arguments"]
    return _call(traces[0]["tool_name"], arguments)


def _call(tool: str, arguments: Mapping[str, Any]) -> Call:
    given = {name: _valid(name, value) for name, value in arguments.items() if value is not None}
    return Call(tool, given or OPEN_ARGUMENTS.get(tool, {}))


def _valid(name: str, value: Any) -> Any:
    return max(float(value), _EARLIEST) if "timestamp" in name else value


def _first_trace(row: Mapping[str, Any]) -> dict[str, Any]:
    trace = json.loads(row["tool_trace"])
    first: dict[str, Any] = trace[0] if isinstance(trace, list) else trace
    return first


def mine_calls(mine: Milestone) -> list[Call]:
    """The calls that a minefield punishes; one that punishes the attempt alone needs no arguments."""
    rows = [row for constraint in mine for row in constraint.target]
    traced = [_first_trace(row) for row in rows if row.get("tool_trace") is not None]
    attempted = [str(row["content"]) for row in rows if is_tool(str(row.get("content")))]
    return [_call(t["tool_name"], t["arguments"]) for t in traced] + [_call(tool, {}) for tool in attempted]


class Scripted:
    """The scripted role in one play."""

    def __init__(self, demands: Demands, opening: Opening, extract: Extract) -> None:
        self._demands = demands
        self._names = opening.names
        self._extract = extract
        self._traces: dict[int, Mapping[str, Any]] = {}
        self._steps = self._play()

    def act(self, heard: Reply | str | None) -> Action:
        """As `Role`; when all is done it says that it can do no more."""
        try:
            return self._steps.send(heard)
        except StopIteration:
            return Say(_STUCK)

    def _play(self) -> Generator[Action, Reply | str | None, None]:
        for mine in self._demands.minefields:
            for call in mine_calls(mine):
                yield from self._attempt(call, None)
        served: set[int] = set()
        for index in self._demands.in_order():
            if self._demands.before(index) <= served and (yield from self._serve(index)):
                served.add(index)

    def _serve(self, index: int) -> Steps:
        """Make the milestone's calls, then say its message; whether all of it was done."""
        milestone = self._demands.milestones[index]
        taken = self._taken(index)
        for call in calls_of(milestone, taken):
            if not (yield from self._attempt(call, index)):
                return False
        message = next((row["content"] for c in milestone for row in c.target if _is_said(c, row)), None)
        if message is not None:
            yield Say(_filled(message, taken))
        return True

    def _attempt(self, call: Call, milestone: int | None) -> Steps:
        """Make a call if its tool is there; whether it was made and raised no error."""
        if call.tool not in self._names:
            return False
        reply = yield Call(self._names[call.tool], call.arguments)
        if not isinstance(reply, Reply) or reply.trace is None:
            return False
        if milestone is not None:
            self._traces[milestone] = reply.trace
        return True

    def _taken(self, index: int) -> dict[str, Any]:
        """What the milestone takes from the traces of earlier calls, in the first form that it accepts."""
        taken: dict[str, Any] = {}
        for constraint in self._demands.milestones[index]:
            trace = self._traces.get(-1 if constraint.reference is None else constraint.reference)
            if constraint.measure == "tool_trace_dependant_similarity" and trace is not None:
                taken |= next(iter(self._extract(index, constraint.position, trace)), {})
        return taken


def _is_said(constraint: Constraint, row: Mapping[str, Any]) -> bool:
    return constraint.namespace == SANDBOX and row.get("recipient") == "USER" and "content" in row


def _filled(message: str, taken: Mapping[str, Any]) -> str:
    return message.format(**taken) if taken else message
