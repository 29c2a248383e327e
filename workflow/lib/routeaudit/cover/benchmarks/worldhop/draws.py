"""Seeded draws that are the same in every Python release.

Only `random.Random.random` and seeding by text are promised to be reproducible between releases
(https://docs.python.org/3/library/random.html#notes-on-reproducibility), so everything is made of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws; equal labels give equal streams."""

    def __init__(self, *label: object) -> None:
        self._random = random.Random(":".join(str(part) for part in label))

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        return int(self._random.random() * bound)

    def one(self, items: Sequence[T]) -> T:
        """One of `items`, each as likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """`items` in random order."""
        keyed = [(self._random.random(), place, item) for place, item in enumerate(items)]
        return [item for _, _, item in sorted(keyed, key=lambda entry: entry[:2])]
