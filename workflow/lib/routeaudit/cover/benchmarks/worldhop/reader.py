"""A reader of the invented world that understands its sentences: answers whose truth is known.

For the scripted backend (``rule: routeaudit.cover.benchmarks.worldhop.reader:read``): as a worker it
quotes the sentence that shares most with the question, as a finalizer it follows the chain of its notes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from routeaudit.execution.requests import Request

_FACT = re.compile(r"The (?P<relation>[\w ]+?) of (?P<subject>[A-Z][\w ]+?) is (?P<object>[A-Z][\w ]+?)\.")
_UNKNOWN = "unknown"


def read(request: Request, noise: random.Random) -> str:
    """Answer one request; `noise` is not used, the backend adds noise of its own."""
    asked = request.messages[-1].content
    if request.schema is None:
        return _chain(asked)
    return json.dumps(_filled(json.loads(request.schema), asked), ensure_ascii=False)


def _filled(schema: dict[str, Any], asked: str) -> Any:
    """A value of the schema, with the best of the offered texts wherever it offers several."""
    if "enum" in schema:
        return max(schema["enum"], key=lambda text: _fit(str(text), asked))
    if "const" in schema:
        return schema["const"]
    if schema.get("type") == "object":
        return {name: _filled(part, asked) for name, part in schema["properties"].items()}
    if schema.get("type") == "array":
        items = schema.get("prefixItems") or [schema["items"]] * int(schema.get("minItems", 1))
        return [_filled(item, asked) for item in items]
    return "a fact"


def _fit(text: str, asked: str) -> float:
    """Words of a stated fact that the question names; the kind of a thing is no fact that helps."""
    question = set(_question(asked).rstrip("?").split())
    return len(question & set(text.rstrip(".").split())) + (1 if _FACT.match(text) else 0)


def _chain(asked: str) -> str:
    facts = list(_facts(asked))
    question = _question(asked)
    for relation, subject, bridge in facts:
        if subject in question and relation in question:
            return next(
                (end for other, start, end in facts if start == bridge and other in question), _UNKNOWN
            )
    return _UNKNOWN


def _question(asked: str) -> str:
    return next((line for line in reversed(asked.splitlines()) if line.endswith("?")), asked)


def _facts(text: str) -> Iterator[tuple[str, str, str]]:
    for match in _FACT.finditer(text):
        yield match["relation"], match["subject"], match["object"]
