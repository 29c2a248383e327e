"""No source id, or no variant, on both sides of a split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from routeaudit.errors import InputError
from routeaudit.tables.artifacts import SPLIT_HELDOUT, SPLIT_TRAIN

_LISTED = 5


def check_disjoint(index: pa.Table) -> None:
    """Hold `index/tasks` against the rule that no source id is on both sides.

    Raises
    ------
    InputError : listing (training task, held-out task, source id).
    """
    rows = index.to_pylist()
    train = _by_source(rows, SPLIT_TRAIN)
    heldout = _by_source(rows, SPLIT_HELDOUT)
    shared = [
        f"{left} and {right} through {source!r}"
        for source in sorted(train.keys() & heldout.keys())
        for left in train[source]
        for right in heldout[source]
    ]
    if shared:
        more = f" and {len(shared) - _LISTED} more" if len(shared) > _LISTED else ""
        raise InputError(
            "index/tasks, key 'split'",
            "no source id on both the training and the held-out side",
            f"{len(shared)} pairs: {'; '.join(shared[:_LISTED])}{more}",
            "split by connected components of shared source ids",
        )


def check_variants(index: pa.Table) -> None:
    """Hold `index/tasks` against the rule that no variant is on both sides.

    Raises
    ------
    InputError : naming the variants.
    """
    rows = index.to_pylist()
    train, heldout = (
        {row["tier"] for row in rows if row["split"] == s} for s in (SPLIT_TRAIN, SPLIT_HELDOUT)
    )
    if train & heldout:
        raise InputError(
            "index/tasks, key 'split'",
            "no variant on both the training and the held-out side",
            ", ".join(map(str, sorted(train & heldout))),
            "split by variant",
        )


def _by_source(rows: Sequence[dict[str, Any]], side: str) -> dict[str, list[str]]:
    tasks: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["split"] == side:
            for source in row["source_ids"]:
                tasks[source].append(row["task_id"])
    return tasks
