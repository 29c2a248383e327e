"""ToolSandbox itself, where an interpreter that can import it is named by ROUTEAUDIT_TOOLSANDBOX."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from routeaudit.config.models import ScriptedModel
from routeaudit.config.played import ModelRole
from routeaudit.cover.benchmarks.toolsandbox.families import FAMILY_TOOLS
from routeaudit.cover.play.actors import open_actor
from routeaudit.cover.play.player import Played, play
from routeaudit.cover.play.scripted import Scripted
from routeaudit.cover.play.world import Sandbox, open_sandbox
from routeaudit.execution import Request

pytestmark = pytest.mark.concurrent

ALL = frozenset(tool for tools in FAMILY_TOOLS.values() for tool in tools)
SCRAMBLED = "_3_distraction_tools_tool_name_scrambled"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    python = os.environ.get("ROUTEAUDIT_TOOLSANDBOX")
    if python is None:
        pytest.skip("ROUTEAUDIT_TOOLSANDBOX names no interpreter that can import tool_sandbox")
    with open_sandbox(python, None) as world:
        yield world


def scripted(sandbox: Sandbox, scenario: str, without: str | None = None) -> Played:
    tools = ALL - frozenset(FAMILY_TOOLS[without] if without else ())
    return play(sandbox, scenario, tools, lambda d, o: Scripted(d, o, sandbox.extract))


def similarity(played: Played) -> float:
    assert played.evaluation is not None
    return played.evaluation.similarity


@pytest.mark.parametrize(
    "scenario",
    [
        "send_message_with_contact_content_cellular_off",
        "find_days_till_holiday_wifi_off",
        "modify_contact_with_message_recency_multiple_user_turn",
        "update_contact_relationship_with_relationship_twice_multiple_user_turn",
        "search_reminder_with_recency_upcoming" + SCRAMBLED,
        "remove_reminder_with_recency_latest_all_tools",
    ],
)
def test_the_scripted_role_with_all_families_reaches_every_milestone(sandbox: Sandbox, scenario: str) -> None:
    assert similarity(scripted(sandbox, scenario)) == 1.0


@pytest.mark.parametrize("family", ["contacts", "messaging", "device_settings"])
def test_without_a_needed_family_it_does_not(sandbox: Sandbox, family: str) -> None:
    assert similarity(scripted(sandbox, "send_message_with_contact_content_cellular_off", family)) < 1.0


@pytest.mark.parametrize(
    ("scenario", "family"),
    [
        ("remove_contact_by_phone_no_search_contacts_insufficient_information", "contacts"),
        ("search_reminder_with_recency_yesterday_insufficient_information", "reminders"),
        ("modify_reminder_with_recency_latest_insufficient_information" + SCRAMBLED, "reminders"),
    ],
)
def test_a_minefield_is_hit_by_the_family_that_can(sandbox: Sandbox, scenario: str, family: str) -> None:
    assert similarity(scripted(sandbox, scenario)) == 0.0
    assert similarity(scripted(sandbox, scenario, family)) == 1.0


def turn_off(request: Request, noise: random.Random) -> str:
    """Calls the first tool that is described as switching cellular service, then says so."""
    if any(message.role == "assistant" for message in request.messages):
        return json.dumps({"next": {"say": "Cellular service is turned off"}})
    described = [json.loads(line) for line in request.messages[0].content.splitlines() if line[:1] == "{"]
    tool = next(tool["name"] for tool in described if "Enable / Disable cellular" in tool["description"])
    return json.dumps({"next": {"tool": tool, "arguments": {"on": False}}})


def test_a_model_sees_scrambled_names_and_acts_under_them(sandbox: Sandbox, tmp_path: Path) -> None:
    rule = "realdata.test_toolsandbox_itself:turn_off"
    role = ModelRole(kind="model", model=ScriptedModel(backend="scripted", rule=rule))
    with open_actor(role, sandbox, tmp_path, "plays") as actor:
        done = play(sandbox, "cellular_off" + SCRAMBLED, ALL, actor.new_role(0))
    assert "set_cellular" not in done.actions[0]
    assert similarity(done) == 1.0


def test_two_processes_play_the_same(sandbox: Sandbox) -> None:
    scenario = "search_message_with_recency_oldest_10_distraction_tools"
    with open_sandbox(os.environ["ROUTEAUDIT_TOOLSANDBOX"], sandbox.sandbox_sha256) as other:
        assert scripted(other, scenario) == scripted(sandbox, scenario)
        first, second = (w.start(scenario, w.demands(scenario).tools) for w in (other, sandbox))
    assert first == second
