"""What a ToolSandbox scenario demands: its milestones, their order, and its minefields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

GUARDRAIL = "guardrail_similarity"
SANDBOX = "SANDBOX"


@dataclass(frozen=True)
class Constraint:
    """One condition of a milestone on one database.

    Parameters
    ----------
    position : its place among the milestone's conditions in ToolSandbox
    measure : ToolSandbox's similarity, by name
    target : rows that are wanted
    reference : the milestone that it refers to, -1 for the beginning, None for none
    """

    position: int
    namespace: str
    measure: str
    target: Sequence[Mapping[str, Any]]
    reference: int | None

    @property
    def changes_database(self) -> bool:
        """Whether it wants a database other than the conversation to change."""
        return self.namespace != SANDBOX


Milestone = tuple[Constraint, ...]


@dataclass(frozen=True)
class Demands:
    """A scenario as ToolSandbox declares it; `edges` lead from a milestone to one that comes after it."""

    name: str
    request: tuple[str, ...]
    tools: frozenset[str]
    milestones: tuple[Milestone, ...]
    edges: frozenset[tuple[int, int]]
    minefields: tuple[Milestone, ...]

    @property
    def messages_due(self) -> int:
        """Messages to the user that the milestones ask for."""
        return sum(any(_is_message(c) for c in milestone) for milestone in self.milestones)

    def before(self, milestone: int) -> frozenset[int]:
        """The milestones right before one."""
        return frozenset(first for first, second in self.edges if second == milestone)

    def in_order(self) -> list[int]:
        """The milestones in an order that the edges allow; of several that may come next, one that changes
        a database comes first: a later milestone may ask that nothing changed since another."""
        order: list[int] = []
        left = set(range(len(self.milestones)))
        while left:
            ready = [index for index in left if not self.before(index) & left]
            order.append(min(ready, key=lambda index: (not self._changes(index), index)))
            left.remove(order[-1])
        return order

    def _changes(self, milestone: int) -> bool:
        return any(constraint.changes_database for constraint in self.milestones[milestone])


def demands_of(said: Mapping[str, Any]) -> Demands:
    """Read what the sandbox says of a scenario; conditions that only guard a database are left out."""
    return Demands(
        name=said["name"],
        request=tuple(said["request"]),
        tools=frozenset(said["tools"]),
        milestones=tuple(_milestone(each) for each in said["milestones"]),
        edges=frozenset((first, second) for first, second in said["edges"]),
        minefields=tuple(_milestone(each) for each in said["minefields"]),
    )


def _milestone(constraints: Sequence[Mapping[str, Any]]) -> Milestone:
    return tuple(
        Constraint(position, c["namespace"], c["constraint"], tuple(c["target"] or ()), c["reference"])
        for position, c in enumerate(constraints)
        if c["constraint"] != GUARDRAIL
    )


def _is_message(constraint: Constraint) -> bool:
    return any(row.get("recipient") == "USER" for row in constraint.target)
