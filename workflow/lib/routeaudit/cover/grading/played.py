"""Outcomes of plays: what ToolSandbox's own evaluator says, as OUTCOMES."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from routeaudit.cover.grading.counts import counted
from routeaudit.cover.stack.keys import CellKey
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import OUTCOMES, STATUS_INVALID, STATUS_MISSING

PLAYED_ENDPOINT = "safe_evidence_completion"


def grade_played(
    plan: pa.Table, plays: pa.Table, endpoints: Sequence[str], stack: str, replicates: int
) -> pa.Table:
    """OUTCOMES of the stack named `stack`: the mean similarity to the milestones, 0 after a minefield.

    Parameters
    ----------
    plan, plays : PLAN and PLAYS of one stack

    An invalid run scores 0; a cell without a play is missing.

    Raises
    ------
    InputError : an endpoint that plays do not have.
    """
    if list(endpoints) != [PLAYED_ENDPOINT]:
        raise InputError(
            "endpoints", f"{PLAYED_ENDPOINT} alone", ", ".join(endpoints), "played stacks have one"
        )
    played = {CellKey(r["task_id"], r["team_id"], r["replicate"]): r for r in plays.to_pylist()}
    rows = [
        {"endpoint": PLAYED_ENDPOINT, "stack": stack, **key._asdict(), **_outcome(played.get(key))}
        for cell in plan.to_pylist()
        for key in (CellKey(cell["task_id"], cell["team_id"], replicate) for replicate in range(replicates))
    ]
    outcomes = OUTCOMES.from_rows(rows)
    counted(outcomes, plan.num_rows * replicates)
    return outcomes


def _outcome(play: dict[str, object] | None) -> dict[str, object]:
    status = STATUS_MISSING if play is None else play["status"]
    value = None if play is None else play["similarity"]
    return {"value": 0.0 if status == STATUS_INVALID else value, "status": status}
