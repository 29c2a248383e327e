"""The role that a stack declares, ready to act in any number of plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from routeaudit.config.played import ModelRole, ScriptedRole
from routeaudit.cover.play.demands import Demands
from routeaudit.cover.play.model import Modelled
from routeaudit.cover.play.player import NewRole
from routeaudit.cover.play.scripted import Scripted, tools_wanted
from routeaudit.cover.play.world import World
from routeaudit.execution import Completion, Identity, Journal, Request, execute
from routeaudit.execution.backends import open_backend
from routeaudit.execution.lock import PATIENCE_S


@dataclass(frozen=True)
class Actor:
    """Who plays.

    Parameters
    ----------
    new_role : replicate -> what makes the role of one play
    wanted : the only tools whose presence changes what the role does
    identity : the model, where there is one
    """

    new_role: Callable[[int], NewRole]
    wanted: Callable[[Demands], frozenset[str]]
    identity: Identity | None = None


@contextmanager
def open_actor(role: ScriptedRole | ModelRole, world: World, journals: Path, journal: str) -> Iterator[Actor]:
    """The declared role; a model's answers go into the journal `journal` and come from any of the folder."""
    if isinstance(role, ScriptedRole):
        yield Actor(lambda replicate: lambda d, o: Scripted(d, o, world.extract), tools_wanted)
        return
    with open_backend(role.model, journals) as backend, Journal.open(journals, journal, PATIENCE_S) as log:

        def ask(request: Request) -> Completion:
            return execute([request], backend, log).completions[request.key(backend.identity)]

        yield Actor(
            lambda replicate: lambda d, o: Modelled(o, ask, role, replicate),
            lambda demands: demands.tools,
            backend.identity,
        )
