"""What a router may ask a model, and how answers come back.

Apart from the routers, whose text features take a second to import: who carries questions needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Question:
    """What a router asks a model: instruction, prompt, the JSON schema of the answer, its longest length."""

    instruction: str
    prompt: str
    schema: dict[str, Any]
    max_tokens: int


Ask = Callable[[Sequence[Question]], Sequence[str | None]]
"""Answers in the order of the questions; None where the model gave no valid one."""
