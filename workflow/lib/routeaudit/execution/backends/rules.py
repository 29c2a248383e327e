"""Rules for the scripted backend: functions of a request and a seeded random generator."""

from __future__ import annotations

import json
import random
from typing import Any

from routeaudit.execution.requests import Request


def first_choice(request: Request, noise: random.Random) -> str:
    """The simplest answer: the first value that the schema allows, else the last message's last word."""
    if request.schema is not None:
        return json.dumps(_simplest(json.loads(request.schema)), ensure_ascii=False)
    return (request.messages[-1].content.split() or ["nothing"])[-1]


def _simplest(schema: dict[str, Any]) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _simplest(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_simplest(schema["items"])] * int(schema.get("minItems", 0))
    return {"integer": schema.get("minimum", 0), "number": schema.get("minimum", 0.0), "boolean": False}.get(
        str(kind), "text"
    )
