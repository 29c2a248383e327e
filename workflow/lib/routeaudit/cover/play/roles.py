"""Who acts: the interface that the scripted role and a language model share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from routeaudit.cover.play.world import Reply


@dataclass(frozen=True)
class Call:
    """A call of a tool, by the name under which the agent sees it."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Say:
    """A message to the user."""

    text: str


@dataclass(frozen=True)
class Fault:
    """No valid action: the model failed (``invalid_run``) or its machine did (``missing``)."""

    status: str


Action = Call | Say | Fault


class Role(Protocol):
    """An agent in one play."""

    def act(self, heard: Reply | str | None) -> Action:
        """The next action, after a tool's reply, after a message of the user, or at the beginning (None)."""
        ...
