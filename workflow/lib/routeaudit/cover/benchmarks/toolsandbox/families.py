"""The declared map from ToolSandbox's tools and databases to five tool families."""

from __future__ import annotations

from collections.abc import Mapping

from routeaudit.errors import InputError

MAP_VERSION = "1"

# One family per module of ToolSandbox's tools; its search and its utility module are one family.
FAMILY_TOOLS: Mapping[str, tuple[str, ...]] = {
    "contacts": ("add_contact", "modify_contact", "remove_contact", "search_contacts"),
    "messaging": ("search_messages", "send_message_with_phone_number"),
    "reminders": ("add_reminder", "modify_reminder", "remove_reminder", "search_reminder"),
    "device_settings": (
        "get_cellular_service_status",
        "get_current_location",
        "get_location_service_status",
        "get_low_battery_mode_status",
        "get_wifi_status",
        "set_cellular_service_status",
        "set_location_service_status",
        "set_low_battery_mode_status",
        "set_wifi_status",
    ),
    "search_and_utilities": (
        "calculate_lat_lon_distance",
        "convert_currency",
        "datetime_info_to_timestamp",
        "get_current_timestamp",
        "search_holiday",
        "search_lat_lon",
        "search_location_around_lat_lon",
        "search_stock",
        "search_weather_around_lat_lon",
        "seconds_to_hours_minutes_seconds",
        "shift_timestamp",
        "timestamp_diff",
        "timestamp_to_datetime_info",
        "unit_conversion",
    ),
}
DATABASE_FAMILY: Mapping[str, str] = {
    "CONTACT": "contacts",
    "MESSAGING": "messaging",
    "REMINDER": "reminders",
    "SETTING": "device_settings",
}
# Tools that ask a hosted service: without its key they raise an error.
NETWORK_TOOLS = frozenset(
    {
        "convert_currency",
        "search_lat_lon",
        "search_location_around_lat_lon",
        "search_stock",
        "search_weather_around_lat_lon",
    }
)
# Tools that belong to no family: every team has them.
COMMON_TOOLS = frozenset({"end_conversation"})

_FAMILY_OF = {tool: family for family, tools in FAMILY_TOOLS.items() for tool in tools}


def family_of_tool(tool: str, where: str) -> str:
    """The family that a tool belongs to.

    Raises
    ------
    InputError : a tool that the map does not know.
    """
    if tool not in _FAMILY_OF:
        raise InputError(
            where,
            f"a tool of the family map, version {MAP_VERSION}",
            repr(tool),
            "export the scenarios from the declared ToolSandbox version",
        )
    return _FAMILY_OF[tool]


def is_tool(text: str) -> bool:
    """Whether a text is the name of a tool of some family."""
    return text in _FAMILY_OF
