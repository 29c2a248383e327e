"""Seeded orders by hashing: equal on every platform and Python release, and free of shared state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from routeaudit.tables import canonical_json, text_digest

Item = TypeVar("Item")


def seeded_key(seed: int, *parts: str | int) -> str:
    """A pseudo-random sort key (64 hex digits) of `parts` under `seed`."""
    return text_digest(canonical_json([seed, *parts]))


def seeded_order(items: Sequence[Item], seed: int, *salt: str | int) -> list[Item]:
    """`items` in a pseudo-random order that depends on their positions, `seed` and `salt` only."""
    positions = sorted(range(len(items)), key=lambda position: seeded_key(seed, *salt, position))
    return [items[position] for position in positions]
