"""The cells that a phase executes, and why each one runs (statistics.md A1, A2, A4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.config.inference import CoverageConfig
from routeaudit.cover.scoring.cells import Cells, build_cells
from routeaudit.cover.scoring.regret import contrast_support, union_mask
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.cover.scoring.sampled import draw_sample
from routeaudit.tables.artifacts import OUTCOMES, PLAN

REASON_COMPLETE, REASON_ROUTE, REASON_SAMPLE = "complete", "route", "sample"
Routes = Mapping[str, Mapping[str, str]]


def of_tasks(family: pa.Table, tasks: Collection[str]) -> pa.Table:
    """The rows of a per-task table that belong to `tasks`."""
    return family.filter(pc.is_in(family["task_id"], value_set=pa.array(sorted(tasks), pa.string())))


def complete_plan(family: pa.Table) -> pa.Table:
    """Every legal team of every task of `family`, as PLAN."""
    return _plan(family, np.full(family.num_rows, REASON_COMPLETE, dtype=object))


def heldout_plan(family: pa.Table, routes: Routes, coverage: CoverageConfig) -> pa.Table:
    """The cells that the regime needs for the frozen `routes`, as PLAN.

    complete: the legal family. route_union: the policies' distinct teams, or under contrast support only
    those of tasks on which two policies differ. sampled: the precommitted draws and the policies' teams.
    """
    if coverage.regime == "complete":
        return complete_plan(family)
    cells = build_cells(family, OUTCOMES.fields.empty_table(), "")
    chosen = locate_routes(cells, routes).picks
    support = contrast_support if coverage.support == "contrast" else union_mask
    reasons = np.where(support(cells, chosen), REASON_ROUTE, "").astype(object)
    if coverage.regime == "sampled":
        drawn = draw_sample(cells, coverage.sampled_teams, coverage.seed).mask
        reasons = np.where(drawn, REASON_SAMPLE, np.where(union_mask(cells, chosen), REASON_ROUTE, ""))
    return _plan(_in_cell_order(family, cells), reasons)


def _in_cell_order(family: pa.Table, cells: Cells) -> pa.Table:
    rows = {key: row for row, key in enumerate(zip(*_keys(family), strict=True))}
    return family.take([rows[key] for key in zip(cells.tasks[cells.task_of], cells.teams, strict=True)])


def _keys(family: pa.Table) -> tuple[list[str], list[str]]:
    return family["task_id"].to_pylist(), family["team_id"].to_pylist()


def _plan(family: pa.Table, reasons: np.ndarray[tuple[int], np.dtype[np.object_]]) -> pa.Table:
    table = family.select(["task_id", "team_id", "workers"]).append_column(
        "reason", pa.array(reasons, pa.string())
    )
    return PLAN.conform(table.filter(pc.not_equal(table["reason"], "")), "plan")
