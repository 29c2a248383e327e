"""What every benchmark adapter hands to the pipeline: tasks with workers, before ids are made opaque."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Passage:
    """One evidence unit: a titled text, given as its own sentences; `unit_id` is unique in its task."""

    unit_id: str
    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class SourceWorker:
    """A candidate worker of one task: a public card and private passages.

    `slot` is the place in the team that the worker can fill (0 = first hop, 1 = second hop). `name`
    is set where workers are the same in every task (tool families); otherwise ids are dealt per task.
    """

    card: str
    passages: tuple[Passage, ...]
    slot: int
    component_id: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class SourceCell:
    """An outcome that came with the source: its value in [0, 1], or None where nobody observed it.

    `workers` are the sorted names of the team.
    """

    workers: tuple[str, ...]
    value: float | None


@dataclass(frozen=True)
class SourceTask:
    """A task as its source states it; nothing here but the question and the cards is public.

    `cells` are outcomes that need no execution; workers then have names.
    """

    original_id: str
    question: str
    answer: str
    aliases: tuple[str, ...]
    source_ids: tuple[str, ...]
    required_units: tuple[str, ...]
    workers: tuple[SourceWorker, ...]
    tier: str | None = None
    cells: tuple[SourceCell, ...] = ()


@dataclass(frozen=True)
class Inventory:
    """The tasks kept and, per reason, how many records were not: total = kept + sum(dropped)."""

    tasks: tuple[SourceTask, ...]
    total: int
    dropped: Mapping[str, int] = field(default_factory=dict)


class Benchmark(Protocol):
    """A source of tasks."""

    def load(self) -> Inventory:
        """Read or generate the tasks.

        Raises
        ------
        InputError : a record that cannot be used and that no declared rule drops.
        """
        ...
