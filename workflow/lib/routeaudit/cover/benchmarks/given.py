"""Outcomes that came with the source, as the table that scoring reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import OUTCOMES, STATUS_MISSING, STATUS_OK

GIVEN_ENDPOINTS = ("outcome", "safe_evidence_completion")


def given_outcomes(
    inventory: Inventory, index: pa.Table, plan: pa.Table, endpoint: str, stack: str
) -> pa.Table:
    """Table `outcomes` of the planned cells; a cell that nobody observed is `missing`.

    Parameters
    ----------
    index : table `index/tasks`, which leads from opaque to original ids
    plan : table `plan` or `family`; workers are names
    endpoint : what the source's values are called, one of `GIVEN_ENDPOINTS`
    stack : what the study's stack is called

    Raises
    ------
    InputError : a task whose source came without outcomes.
    """
    values = {task.original_id: _values(task) for task in inventory.tasks}
    original = dict(zip(index["task_id"].to_pylist(), index["original_id"].to_pylist(), strict=True))
    rows = [_row(cell, values[original[cell["task_id"]]], endpoint, stack) for cell in plan.to_pylist()]
    return OUTCOMES.from_rows(rows)


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
    cell: Mapping[str, Any], values: Mapping[tuple[str, ...], float | None], endpoint: str, stack: str
) -> dict[str, object]:
    value = values.get(tuple(cell["workers"]))
    return {
        "endpoint": endpoint,
        "stack": stack,
        "replicate": 0,
        "task_id": cell["task_id"],
        "team_id": cell["team_id"],
        "value": value,
        "status": STATUS_MISSING if value is None else STATUS_OK,
    }
