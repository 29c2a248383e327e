"""Parameters of a record as readable keys and values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def parsed_params(text: str) -> Any:
    """The parameters of a record; text that is no JSON stays text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one mapping with dotted keys; an empty mapping stays a value."""
    if not isinstance(value, Mapping) or not value:
        return {prefix: value} if prefix else {}
    leaves: dict[str, Any] = {}
    for key in sorted(value):
        leaves |= flat(value[key], f"{prefix}.{key}" if prefix else str(key))
    return leaves


def spelled(value: Any) -> str:
    """A value on one line: JSON, plain words without quotes."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    )


def shortened(value: Any, limit: int = 60) -> str:
    """Like `spelled`, cut where it is long: a prompt would fill the screen."""
    text = " ".join(spelled(value).split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
