"""Which tasks a phase executes."""

from __future__ import annotations

from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.tables.artifacts import SPLIT_HELDOUT, SPLIT_TRAIN

Phase = Literal["train", "heldout"]


def phase_tasks(index: pa.Table, phase: Phase, crossfit: bool = False) -> tuple[str, ...]:
    """Ids of a phase's tasks, sorted; in a cross-fit every task is in both phases."""
    side = SPLIT_HELDOUT if phase == "heldout" or crossfit else SPLIT_TRAIN
    return tuple(sorted(index.filter(pc.equal(index["split"], side))["task_id"].to_pylist()))
