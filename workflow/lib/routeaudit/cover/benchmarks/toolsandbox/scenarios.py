"""What a ToolSandbox scenario demands: the families it needs and the families it must not use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, Field

from routeaudit.cover.benchmarks.toolsandbox.families import DATABASE_FAMILY, family_of_tool, is_tool

_CHANGES = frozenset({"addition_similarity", "removal_similarity", "update_similarity"})
_SETTING, _SNAPSHOT = "SETTING", "snapshot_similarity"
_DISTRACTION = "_3_distraction_tools"

# The names that ToolSandbox appends to a base scenario, longest first.
AUGMENTATIONS = (
    f"{_DISTRACTION}_arg_description_scrambled",
    f"{_DISTRACTION}_tool_description_scrambled",
    f"{_DISTRACTION}_arg_type_scrambled",
    f"{_DISTRACTION}_tool_name_scrambled",
    "_10_distraction_tools",
    _DISTRACTION,
    "_all_tools",
)


class Snapshot(BaseModel):
    """ToolSandbox constraint"""

    namespace: str
    constraint: str
    target: list[dict[str, Any]] | None


class Scenario(BaseModel):
    """ToolSandbox"""

    name: str = Field(min_length=1)
    tool_allow_list: list[str]
    milestones: list[list[Snapshot]]
    minefields: list[list[Snapshot]]
    user_request: list[str]


def base_and_augmentation(name: str) -> tuple[str, str]:
    """A scenario's base and what was appended to its name; the plain scenario's augmentation is empty."""
    for suffix in AUGMENTATIONS:
        if name.endswith(suffix):
            return name.removesuffix(suffix), suffix.removeprefix("_")
    return name, ""


def needed_families(scenario: Scenario, where: str) -> frozenset[str]:
    """Families whose tools a milestone names, or whose database a milestone wants changed."""
    tools = {family_of_tool(tool, where) for tool in named_tools(scenario.milestones)}
    changed = {
        DATABASE_FAMILY[snapshot.namespace]
        for snapshot in _snapshots(scenario.milestones)
        if snapshot.namespace in DATABASE_FAMILY and _is_change(snapshot)
    }
    return frozenset(tools | changed)


def forbidden_families(scenario: Scenario, where: str) -> frozenset[str]:
    """Families with a tool whose use a minefield punishes, unless a milestone needs the family."""
    named = {family_of_tool(tool, where) for tool in named_tools(scenario.minefields)}
    return frozenset(named) - needed_families(scenario, where)


def _is_change(snapshot: Snapshot) -> bool:
    of_settings = snapshot.namespace == _SETTING and snapshot.constraint == _SNAPSHOT
    return of_settings or snapshot.constraint in _CHANGES


def _snapshots(groups: Sequence[Sequence[Snapshot]]) -> Iterator[Snapshot]:
    return (snapshot for group in groups for snapshot in group)


def named_tools(groups: Sequence[Sequence[Snapshot]]) -> Iterator[str]:
    """Tools in traces (a list of traces gives alternatives) and tools that the agent asks to run."""
    for snapshot in _snapshots(groups):
        for row in snapshot.target or ():
            if "tool_trace" in row:
                yield from _traced(row["tool_trace"])
            elif is_tool(str(row.get("content"))):
                yield str(row["content"])


def _traced(trace: str) -> Iterator[str]:
    parsed = json.loads(trace)
    for call in parsed if isinstance(parsed, list) else [parsed]:
        yield call["tool_name"]
