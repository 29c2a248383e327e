"""Small families and outcome tables for the scoring tests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from routeaudit.cover.scoring.cells import Cells, build_cells
from routeaudit.cover.scoring.routes import Routes, locate_routes


def grid_cells(values, sizes=None, clusters=None, endpoint="e") -> Cells:
    """Cells of a (T, A) array; NaN means never executed. ``sizes`` are the workers of each team."""
    values = np.asarray(values, dtype=float)
    tasks, teams = values.shape
    names = [(f"t{t:04d}", f"a{a:02d}") for t in range(tasks) for a in range(teams)]
    family = pa.table(
        {
            "task_id": [task for task, _ in names],
            "team_id": [team for _, team in names],
            "n_workers": np.tile(np.ones(teams, int) if sizes is None else sizes, tasks),
            "canonical_rank": np.tile(np.arange(teams), tasks),
        }
    )
    kept = ~np.isnan(values.ravel())
    outcomes = family.select(["task_id", "team_id"]).append_column("value", pa.array(values.ravel()))
    return build_cells(family, outcomes.filter(pa.array(kept)), endpoint, clusters)


def routes_of(cells: Cells, picks: Mapping[str, list[int]]) -> Routes:
    """Routes that choose team number ``picks[policy][t]``."""
    tasks = cells.tasks.tolist()
    return locate_routes(
        cells,
        {
            name: {task: f"a{a:02d}" for task, a in zip(tasks, chosen, strict=True)}
            for name, chosen in picks.items()
        },
    )


def two_policies(wins: int, losses: int, both: int, tasks: int):
    """P = 2 cells and routes with given discordant counts; ``both`` tasks are right under either policy."""
    values = np.zeros((tasks, 2))
    values[:wins, 0] = 1
    values[wins : wins + losses, 1] = 1
    values[wins + losses : wins + losses + both] = 1
    cells = grid_cells(values)
    return cells, routes_of(cells, {"cover": [0] * tasks, "loo": [1] * tasks})
