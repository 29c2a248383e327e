"""Canaries: unique strings planted in private fields, which must never turn up on the public side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.errors import InputError
from routeaudit.tables import text_digest

_MARK = "canary"


def planted(inventory: Inventory, salt: str) -> Inventory:
    """The inventory with a canary in every private field: ids, sources, answers, units and passages.

    The public fields (question, cards, slots, worker names) stay as they are.
    """
    return replace(inventory, tasks=tuple(_planted_task(task, salt) for task in inventory.tasks))


def canary(salt: str) -> str:
    """The string that `planted` puts in private fields under this salt."""
    return f"{_MARK}{text_digest(salt)[:16]}"


def check_absent(salt: str, paths: Iterable[Path]) -> None:
    """Hold files (Parquet, JSON or text) against the rule that the canary is in none of them.

    Raises
    ------
    InputError : naming the first file and the place where it is.
    """
    word = canary(salt)
    for path in paths:
        for place, text in _texts(path):
            if word in text:
                raise InputError(
                    f"{path}, {place}",
                    "nothing from a private field",
                    f"the canary {word!r}: {text[:120]!r}",
                    "build public artifacts from named public columns only",
                )


def _texts(path: Path) -> Iterable[tuple[str, str]]:
    if path.suffix != ".parquet":
        yield "text", path.read_text(encoding="utf-8")
        return
    for number, row in enumerate(pq.read_table(path).to_pylist()):
        for column, value in row.items():
            yield f"row {number}, key {column!r}", json.dumps(value, ensure_ascii=False, default=str)


def _planted_task(task: SourceTask, salt: str) -> SourceTask:
    word = canary(salt)
    return replace(
        task,
        original_id=f"{task.original_id} {word}",
        answer=f"{task.answer} {word}",
        aliases=_marked(task.aliases, word),
        source_ids=_marked(task.source_ids, word),
        required_units=_marked(task.required_units, word),
        workers=tuple(_planted_worker(worker, word) for worker in task.workers),
        tier=None if task.tier is None else f"{task.tier} {word}",
    )


def _planted_worker(worker: SourceWorker, word: str) -> SourceWorker:
    return replace(
        worker,
        passages=tuple(
            Passage(f"{p.unit_id} {word}", f"{p.title} {word}", _marked(p.sentences, word))
            for p in worker.passages
        ),
        component_id=None if worker.component_id is None else f"{worker.component_id} {word}",
    )


def _marked(texts: Sequence[str], word: str) -> tuple[str, ...]:
    return tuple(f"{text} {word}" for text in texts)
