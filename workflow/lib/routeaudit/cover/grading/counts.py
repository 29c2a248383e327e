"""Denominators that close: planned = ok + invalid + missing."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.tables.artifacts import STATUS_INVALID, STATUS_MISSING, STATUS_OK


@dataclass(frozen=True)
class Counts:
    """Outcomes by status; `planned` is what the plan asked for."""

    planned: int
    ok: int
    invalid: int
    missing: int


def counted(outcomes: pa.Table, planned: int) -> Counts:
    """Count OUTCOMES by status.

    Raises
    ------
    AssertionError : the counts do not add up to `planned`, which is a fault of this program.
    """
    n = {
        status: pc.sum(pc.equal(outcomes["status"], status)).as_py() or 0
        for status in (STATUS_OK, STATUS_INVALID, STATUS_MISSING)
    }
    counts = Counts(planned, n[STATUS_OK], n[STATUS_INVALID], n[STATUS_MISSING])
    if planned != counts.ok + counts.invalid + counts.missing:
        raise AssertionError(f"denominators do not close: {counts}")
    return counts
