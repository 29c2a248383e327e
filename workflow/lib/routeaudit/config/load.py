"""From plain values to a valid study configuration; what is wrong is said with its key."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from routeaudit.config.study import StudyConfig
from routeaudit.errors import InputError


def validated_study(values: Any, study: str) -> dict[str, Any]:
    """`values` held against `StudyConfig`, as plain JSON values with every default filled in."""
    try:
        return StudyConfig.model_validate(values).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"study {study!r}, key {'.'.join(map(str, first['loc']))}",
            first["msg"],
            repr(first.get("input"))[:200],
            "config/README.md lists every key with its type and default",
        ) from None
