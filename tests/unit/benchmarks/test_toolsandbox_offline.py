"""ToolSandbox offline: the family map, what scenarios demand, and what teams then reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from routeaudit.config.benchmarks import SourceFile, ToolSandboxConfig, ToolSandboxOfflineConfig
from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.cover.benchmarks.toolsandbox.adapter import safe_completion
from routeaudit.cover.benchmarks.toolsandbox.families import COMMON_TOOLS, FAMILY_TOOLS
from routeaudit.cover.benchmarks.toolsandbox.scenarios import base_and_augmentation
from routeaudit.errors import InputError


def snapshot(namespace: str, constraint: str, *target: dict[str, Any]) -> dict[str, Any]:
    return {"namespace": namespace, "constraint": constraint, "target": list(target) or None}


def traced(*tools: str) -> dict[str, Any]:
    calls = [{"tool_name": tool, "arguments": {}} for tool in tools]
    trace = json.dumps(calls[0] if len(calls) == 1 else calls)
    row = {"sender": "EXECUTION_ENVIRONMENT", "recipient": "AGENT", "tool_trace": trace}
    return snapshot("SANDBOX", "snapshot_similarity", row)


def scenario(name: str, milestones: list[Any], minefields: list[Any] | None = None, **changes: Any) -> Any:
    return {
        "name": name,
        "tool_allow_list": ["end_conversation", "search_contacts"],
        "milestones": [[entry] for entry in milestones],
        "minefields": [[entry] for entry in minefields or []],
        "user_request": [f"Please do {name}"],
    } | changes


def load(tmp_path: Path, *scenarios: Any, **settings: Any) -> Inventory:
    path = tmp_path / "scenarios.json"
    path.write_text(json.dumps(scenarios))
    source = SourceFile(file=path.name, data_dir=str(tmp_path))
    return load_inventory(ToolSandboxOfflineConfig(source=source, **settings))


def reached(inventory: Inventory) -> set[tuple[str, ...]]:
    (task,) = inventory.tasks
    return {cell.workers for cell in task.cells if cell.value == 1.0}


def test_families_share_no_tool() -> None:
    tools = [tool for listed in FAMILY_TOOLS.values() for tool in listed]
    assert len(tools) == len(set(tools)) == 33
    assert not COMMON_TOOLS & set(tools)
    assert len(FAMILY_TOOLS) == 5


def test_tool_traces_and_changed_databases_need_their_families(tmp_path: Path) -> None:
    inventory = load(
        tmp_path,
        scenario(
            "remind",
            [
                traced("search_messages"),
                traced("unit_conversion", "unit_conversion"),
                snapshot("REMINDER", "addition_similarity", {"content": "milk"}),
                snapshot("CONTACT", "guardrail_similarity"),
            ],
        ),
    )
    (task,) = inventory.tasks
    assert task.required_units == ("messaging", "reminders", "search_and_utilities")
    complete = reached(inventory)
    assert ("messaging", "reminders", "search_and_utilities") in complete
    assert len(complete) == 4
    assert all(set(task.required_units) <= set(team) for team in complete)


def test_a_setting_that_must_change_needs_the_device_settings(tmp_path: Path) -> None:
    wanted = snapshot("SETTING", "snapshot_similarity", {"wifi": True})
    (task,) = load(tmp_path, scenario("wifi", [wanted])).tasks
    assert task.required_units == ("device_settings",)


def test_untouched_database_needs_nothing_and_such_a_scenario_is_counted_out(tmp_path: Path) -> None:
    guard = snapshot("CONTACT", "guardrail_similarity")
    wanted = snapshot("CONTACT", "removal_similarity", {"person_id": "1"})
    inventory = load(tmp_path, scenario("talk", [guard]), scenario("drop", [wanted]))
    assert inventory.dropped == {"names_no_tool_and_no_database": 1}
    assert [task.original_id for task in inventory.tasks] == ["drop"]


@pytest.mark.parametrize(
    "mine",
    [
        traced("modify_reminder"),
        snapshot(
            "SANDBOX",
            "snapshot_similarity",
            {"recipient": "EXECUTION_ENVIRONMENT", "content": "modify_reminder"},
        ),
    ],
)
def test_a_minefield_forbids_the_family_of_its_tool(tmp_path: Path, mine: Any) -> None:
    complete = reached(load(tmp_path, scenario("impossible", [], [mine])))
    assert len(complete) == 15
    assert all("reminders" not in team for team in complete)


def test_a_minefield_in_a_needed_family_forbids_nothing(tmp_path: Path) -> None:
    inventory = load(tmp_path, scenario("x", [traced("search_reminder")], [traced("remove_reminder")]))
    assert ("reminders",) in reached(inventory)


def test_safe_completion_needs_every_needed_and_no_forbidden_family() -> None:
    assert safe_completion({"a", "b"}, {"a"}, set()) == 1.0
    assert safe_completion({"b"}, {"a"}, set()) == 0.0
    assert safe_completion({"a", "b"}, {"a"}, {"b"}) == 0.0


@pytest.mark.parametrize(
    ("name", "base", "augmentation"),
    [
        ("wifi_off", "wifi_off", ""),
        ("wifi_off_all_tools", "wifi_off", "all_tools"),
        ("wifi_off_3_distraction_tools", "wifi_off", "3_distraction_tools"),
        ("x_alt_3_distraction_tools_tool_name_scrambled", "x_alt", "3_distraction_tools_tool_name_scrambled"),
    ],
)
def test_augmentations_are_stripped_from_a_scenario_name(name: str, base: str, augmentation: str) -> None:
    assert base_and_augmentation(name) == (base, augmentation)


def test_augmentations_rephrasings_and_equal_requests_share_a_source(tmp_path: Path) -> None:
    wifi = [traced("get_wifi_status")]
    plain, augmented, rephrased, same_request, other = load(
        tmp_path,
        scenario("a", wifi),
        scenario("a_all_tools", [traced("search_stock")]),
        scenario("b", wifi),
        scenario("c", [traced("search_stock"), *wifi], user_request=["Please do a"]),
        scenario("d", [traced("search_holiday")]),
    ).tasks
    for task in (augmented, rephrased, same_request):
        assert set(plain.source_ids) & set(task.source_ids)
    assert not set(plain.source_ids) & set(other.source_ids)
    assert (plain.tier, augmented.tier) == ("plain", "all_tools")


def test_cards_show_the_family_or_what_the_scenario_allows(tmp_path: Path) -> None:
    entry = scenario("a", [traced("search_contacts")])
    (whole,) = load(tmp_path, entry).tasks
    cards = {worker.name: worker.card for worker in whole.workers}
    assert cards["messaging"] == "messaging: search_messages, send_message_with_phone_number"
    (allowed,) = load(tmp_path, entry, card="allowed").tasks
    cards = {worker.name: worker.card for worker in allowed.workers}
    assert cards["contacts"] == "contacts: search_contacts"
    assert cards["device_settings"] == "device settings: no tools"


def test_tool_that_the_map_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'launch_rocket'"):
        load(tmp_path, scenario("a", [traced("launch_rocket")]))


def test_duplicate_scenario_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="each id once"):
        load(tmp_path, scenario("a", []), scenario("a", []))


def test_to_be_played_scenarios_have_no_outcome_and_need_no_network(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.json"
    kept = scenario("a", [traced("search_contacts")], [traced("search_stock")])
    path.write_text(json.dumps([kept, scenario("b", [traced("search_stock")]), scenario("c", [])]))
    source = SourceFile(file=path.name, data_dir=str(tmp_path))
    inventory = load_inventory(ToolSandboxConfig(source=source))
    (task,) = inventory.tasks
    assert (task.original_id, task.cells) == ("a", ())
    assert inventory.dropped == {"needs_a_network_service": 1, "names_no_tool_and_no_database": 1}
