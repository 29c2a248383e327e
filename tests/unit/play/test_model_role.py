"""The model role: a schema of its tools, the conversation as messages, faults of model and machine."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from routeaudit.config.models import ScriptedModel
from routeaudit.config.played import ModelRole
from routeaudit.cover.play.actors import open_actor
from routeaudit.cover.play.model import Modelled
from routeaudit.cover.play.player import GO_ON, Played, play
from routeaudit.cover.play.roles import Say
from routeaudit.execution import Completion, Request, read_journals
from routeaudit.execution.backends.base import InfrastructureError
from unit.play.worlds import FakeWorld

pytestmark = pytest.mark.concurrent

HERE = "unit.play.test_model_role"


def follow(request: Request, noise: random.Random, steps: list[Any]) -> str:
    """The next of declared steps: as many were taken as the conversation has answers of the assistant."""
    taken = sum(message.role == "assistant" for message in request.messages)
    step = steps[min(taken, len(steps) - 1)]
    return step if isinstance(step, str) else json.dumps({"next": step})


def lost(request: Request, noise: random.Random) -> str:
    raise InfrastructureError("the server is gone")


def turn_on(on: Any = True) -> dict[str, Any]:
    return {"tool": "seen_set_wifi_status", "arguments": {"on": on}}


def modelled(folder: Path, *steps: Any, rule: str = "follow", limit: int = 30) -> Played:
    parameters = {"steps": list(steps)} if steps else {}
    role = ModelRole(
        kind="model",
        model=ScriptedModel(backend="scripted", rule=f"{HERE}:{rule}", parameters=parameters),
    )
    world = FakeWorld(limit)
    with open_actor(role, world, folder, "plays") as actor:
        return play(world, "wifi", frozenset({"set_wifi_status"}), actor.new_role(0))


def asked(*steps: Any) -> list[Request]:
    """The requests of a play."""
    seen: list[Request] = []

    def ask(request: Request) -> Completion:
        seen.append(request)
        return Completion(follow(request, random.Random(0), list(steps)))

    role = ModelRole(kind="model", model=ScriptedModel(backend="scripted"))
    tools = frozenset({"set_wifi_status"})
    play(FakeWorld(), "wifi", tools, lambda demands, opening: Modelled(opening, ask, role, 0))
    return seen


def test_calls_and_messages_reach_the_world_and_its_evaluator(tmp_path: Path) -> None:
    done = modelled(tmp_path, turn_on(), {"say": "Wifi is on."})
    assert done.actions == ('seen_set_wifi_status({"on":true})', "Wifi is on.")
    assert done.evaluation is not None
    assert done.evaluation.similarity == 1.0


def test_the_model_reads_its_tools_the_request_and_every_result() -> None:
    first, second = asked(turn_on(), {"say": "Wifi is on."})
    assert "Do not guess." in first.messages[0].content
    assert "seen_set_wifi_status" in first.messages[0].content
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[1].content == "Please do wifi"
    assert second.messages[3].content == "Result: found"


def test_no_tool_of_another_family_can_be_chosen(tmp_path: Path) -> None:
    stolen = {"tool": "seen_search_contacts", "arguments": {}}
    assert modelled(tmp_path, stolen).status == "invalid_run"


@pytest.mark.parametrize("answer", ["not JSON", turn_on(on="maybe"), {"say": ""}])
def test_an_answer_outside_the_schema_ends_the_play_as_an_invalid_run(answer: Any, tmp_path: Path) -> None:
    done = modelled(tmp_path, answer)
    assert (done.status, done.evaluation) == ("invalid_run", None)


def test_a_lost_machine_leaves_the_cell_missing(tmp_path: Path) -> None:
    assert modelled(tmp_path, rule="lost").status == "missing"


def test_an_agent_that_never_speaks_is_stopped_by_the_limit_and_evaluated(tmp_path: Path) -> None:
    done = modelled(tmp_path, turn_on(), limit=8)
    assert len(done.actions) == 4
    assert done.evaluation is not None
    assert done.evaluation.milestones == 0.5


def test_the_user_asks_to_go_on_until_all_due_messages_were_said() -> None:
    heard: list[object] = []

    class Speaker:
        def act(self, told: object) -> Say:
            heard.append(told)
            return Say(("One.", "Two.")[len(heard) - 1])

    done = play(FakeWorld(), "twice", frozenset(), lambda demands, opening: Speaker())
    assert heard == [None, GO_ON]
    assert done.evaluation is not None
    assert done.evaluation.similarity == 1.0


def test_answers_are_journalled_and_reused(tmp_path: Path) -> None:
    steps = (turn_on(), {"say": "Wifi is on."})
    first = modelled(tmp_path, *steps)
    assert len(read_journals(tmp_path).completions) == 2
    assert modelled(tmp_path, *steps) == first
    assert len(read_journals(tmp_path).completions) == 2
