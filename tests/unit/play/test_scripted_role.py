"""The scripted role: an oracle that does what its tools permit, in order, and treads on mines."""

from __future__ import annotations

from typing import Any

import pytest

from routeaudit.cover.benchmarks.toolsandbox.families import FAMILY_TOOLS
from routeaudit.cover.play.demands import demands_of
from routeaudit.cover.play.scripted import calls_of, mine_calls, tools_wanted
from unit.play import fake_sandbox as fake
from unit.play.worlds import played

ALL = frozenset(tool for tools in FAMILY_TOOLS.values() for tool in tools)


@pytest.mark.parametrize("name", ["wifi", "boss", "mail"])
def test_with_all_tools_every_milestone_is_reached(name: str) -> None:
    done = played(name, ALL)
    assert done.evaluation is not None
    assert done.evaluation.similarity == 1.0


def test_actions_go_by_the_names_the_agent_sees_and_messages_take_results_of_earlier_calls() -> None:
    assert played("boss", ALL).actions == ('seen_search_contacts({"name":"Homer S"})', "He is found.")


def test_a_milestone_is_not_attempted_before_the_ones_right_before_it_were_served() -> None:
    done = played("mail", ALL - {"search_contacts"})
    assert done.actions == ("I cannot do more than this with the tools that I have.",)
    assert done.evaluation is not None
    assert done.evaluation.milestones == 0.0


def test_what_can_be_done_without_the_missing_tool_is_done() -> None:
    done = played("mail", ALL - {"send_message_with_phone_number"})
    assert done.actions[0] == 'seen_search_contacts({"name":"Fredrik"})'
    assert done.evaluation is not None
    assert done.evaluation.milestones == pytest.approx(1 / 3)


def test_a_mine_is_trodden_on_where_the_tools_permit_it_and_only_there() -> None:
    hit, spared = played("impossible", ALL), played("impossible", frozenset({"search_contacts"}))
    assert hit.evaluation is not None
    assert spared.evaluation is not None
    assert (hit.evaluation.similarity, spared.evaluation.similarity) == (0.0, 1.0)


def test_a_milestone_that_changes_a_database_comes_first_of_those_that_may_come_next() -> None:
    wifi = fake.changed("SETTING", "snapshot_similarity", wifi=True)
    told = fake.scenario("x", [fake.traced("search_contacts"), wifi, fake.message("y")], [[0, 2], [1, 2]])
    assert demands_of(told).in_order() == [1, 0, 2]


@pytest.mark.parametrize(
    ("constraint", "tool", "arguments"),
    [
        (
            fake.changed("SETTING", "snapshot_similarity", low_battery_mode=False),
            "set_low_battery_mode_status",
            {"on": False},
        ),
        (
            fake.changed("CONTACT", "addition_similarity", name="A", relationship=None),
            "add_contact",
            {"name": "A"},
        ),
        (
            fake.changed("CONTACT", "update_similarity", person_id="1", name="B"),
            "modify_contact",
            {"person_id": "1", "name": "B"},
        ),
        (
            fake.changed("REMINDER", "removal_similarity", reminder_id="1"),
            "remove_reminder",
            {"reminder_id": "1"},
        ),
        (
            fake.changed("MESSAGING", "addition_similarity", recipient_phone_number="+1", content="Hi"),
            "send_message_with_phone_number",
            {"phone_number": "+1", "content": "Hi"},
        ),
        (fake.traced("search_contacts"), "search_contacts", {"is_self": False}),
        (
            fake.traced("search_holiday", holiday_name="Easter", year=None),
            "search_holiday",
            {"holiday_name": "Easter"},
        ),
    ],
)
def test_each_kind_of_milestone_has_the_call_that_reaches_it(
    constraint: dict[str, Any], tool: str, arguments: dict[str, Any]
) -> None:
    (milestone,) = demands_of(fake.scenario("x", [constraint])).milestones
    (call,) = calls_of(milestone, {})
    assert (call.tool, dict(call.arguments)) == (tool, arguments)


def test_several_traces_of_a_milestone_are_one_call_with_all_their_arguments() -> None:
    both = [fake.traced("timestamp_diff", 0), fake.traced("timestamp_diff", 1, timestamp_1=400000000.0)]
    (milestone,) = demands_of(fake.scenario("x", [both])).milestones
    (call,) = calls_of(milestone, {"timestamp_0": 500000000.0})
    assert call.arguments == {"timestamp_0": 500000000.0, "timestamp_1": 400000000.0}


def test_a_mine_that_accepts_any_time_is_trodden_on_with_a_time_that_the_tool_accepts() -> None:
    mine = fake.traced("search_reminder", reminder_timestamp_lowerbound=0)
    (call,) = mine_calls(demands_of(fake.scenario("x", [], minefields=[mine])).minefields[0])
    assert call.arguments == {"reminder_timestamp_lowerbound": 315529200.0}


def test_wanted_tools_are_all_that_the_role_may_call() -> None:
    assert tools_wanted(demands_of(fake.SENT)) == {"search_contacts", "send_message_with_phone_number"}
    assert tools_wanted(demands_of(fake.MINED)) == {"send_message_with_phone_number"}
