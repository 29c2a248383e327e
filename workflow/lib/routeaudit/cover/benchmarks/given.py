"""Outcomes that came with the source, as the table that scoring reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import OUTCOMES, STATUS_MISSING, STATUS_OK

OFFLINE_STACK = "offline"


def given_outcomes(inventory: Inventory, index: pa.Table, family: pa.Table, endpoint: str) -> pa.Table:
    """Table `outcomes` for every legal team of `family`; a cell that nobody observed is `missing`.

    Parameters
    ----------
    index : table `index/tasks`, which leads from opaque to original ids
    family : the legal teams of the tasks wanted; workers are names

    Raises
    ------
    InputError : a task whose source came without outcomes.
    """
    values = {task.original_id: _values(task) for task in inventory.tasks}
    original = dict(zip(index["task_id"].to_pylist(), index["original_id"].to_pylist(), strict=True))
    rows = [_row(cell, values[original[cell["task_id"]]], endpoint) for cell in family.to_pylist()]
    return OUTCOMES.from_rows(rows)


def missing_cells(inventory: Inventory) -> dict[str, list[str]]:
    """Original id -> teams (names joined by +) that nobody observed, of the tasks that have such."""
    found = {
        task.original_id: ["+".join(cell.workers) for cell in task.cells if cell.value is None]
        for task in inventory.tasks
    }
    return {original_id: teams for original_id, teams in found.items() if teams}


def _values(task: SourceTask) -> dict[tuple[str, ...], float | None]:
    if not task.cells:
        raise InputError(
            f"task {task.original_id!r}",
            "outcomes that came with the source",
            "none",
            "use this endpoint with an outcome table, or execute the study",
        )
    return {cell.workers: cell.value for cell in task.cells}


def _row(
    cell: Mapping[str, Any], values: Mapping[tuple[str, ...], float | None], endpoint: str
) -> dict[str, object]:
    value = values.get(tuple(cell["workers"]))
    return {
        "endpoint": endpoint,
        "stack": OFFLINE_STACK,
        "replicate": 0,
        "task_id": cell["task_id"],
        "team_id": cell["team_id"],
        "value": value,
        "status": STATUS_MISSING if value is None else STATUS_OK,
    }
