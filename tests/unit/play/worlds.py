"""Worlds and plays for tests: the fake sandbox without a process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routeaudit.cover.play.demands import Demands, demands_of
from routeaudit.cover.play.player import NewRole, Played, play
from routeaudit.cover.play.scripted import Scripted
from routeaudit.cover.play.world import Evaluation, Opening, Reply
from routeaudit.errors import InputError
from unit.play.fake_sandbox import SCENARIOS, FakeServer


class FakeWorld:
    """The fake sandbox as a `World`."""

    def __init__(self, limit: int = 30) -> None:
        self.server = FakeServer(limit)
        self.open = False

    def demands(self, scenario: str) -> Demands:
        if scenario not in SCENARIOS:
            raise InputError(f"scenario {scenario!r}", "a scenario", "none", "")
        return demands_of(SCENARIOS[scenario])

    def start(self, scenario: str, tools: frozenset[str]) -> Opening:
        said = self._heard(self.server.start(scenario, sorted(tools)))
        turns = tuple((turn["sender"], turn["content"]) for turn in said["conversation"])
        return Opening(said["names"], tuple(said["tools"]), turns)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        said = self._heard(self.server.call(tool, dict(arguments)))
        return Reply(said["text"], said["trace"])

    def say(self, text: str) -> None:
        self._heard(self.server.say(text))

    def answer(self, text: str) -> None:
        self._heard(self.server.answer(text))

    def end(self) -> None:
        self._heard(self.server.end())

    def extract(self, milestone: int, constraint: int, trace: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self.server.extract(milestone, constraint, dict(trace))

    def evaluate(self) -> Evaluation:
        return Evaluation(**self.server.evaluate())

    def _heard(self, said: dict[str, Any]) -> dict[str, Any]:
        self.open = said["open"]
        return said


def played(scenario: str, tools: frozenset[str], new_role: NewRole | None = None, limit: int = 30) -> Played:
    """One play in the fake world, by the scripted role unless another is given."""
    world = FakeWorld(limit)

    def scripted(demands: Demands, opening: Opening) -> Scripted:
        return Scripted(demands, opening, world.extract)

    return play(world, scenario, tools, new_role or scripted)
