"""Outcome tables on their originals' files, against what their authors published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from places import real_data
from routeaudit.config.benchmarks import (
    BenchmarkConfig,
    LifeEvalConfig,
    RouteLLMConfig,
    RouterBenchConfig,
    SourceFile,
    ToolSandboxOfflineConfig,
)
from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.cover.benchmarks.inventory import missing_cells
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.cover.split.components import components

pytestmark = pytest.mark.realdata

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def load(config: BenchmarkConfig, folder: Path) -> Inventory:
    source: SourceFile = config.source.model_copy(update={"data_dir": str(folder)})  # type: ignore[union-attr]
    return load_inventory(config.model_copy(update={"source": source}))


def matrix(inventory: Inventory, teams: Any = lambda team: True) -> Matrix:
    """Tasks by teams, NaN where nobody observed; every task has its teams in one order."""
    return np.array(
        [
            [np.nan if cell.value is None else cell.value for cell in task.cells if teams(cell.workers)]
            for task in inventory.tasks
        ]
    )


def test_sat_coalitions_of_three_have_no_headroom() -> None:
    values = matrix(load(LifeEvalConfig(), real_data("lifeeval_confidence")))
    assert values.shape == (173, 165)
    assert round(values.max(axis=1).mean(), 4) == round(values.mean(axis=0).max(), 4) == 0.9884


def test_mmlu_accuracies_of_strong_and_weak_model_are_the_published_ones() -> None:
    inventory = load(RouteLLMConfig(), real_data("routellm"))
    values = matrix(inventory)
    assert values.shape == (14042, 2)
    assert [round(mean, 4) for mean in values.mean(axis=0)] == [0.8058, 0.6808]
    assert round(values.max(axis=1).mean(), 4) == 0.8586
    assert len({source for task in inventory.tasks for source in task.source_ids}) == 13937


def test_fourteen_routerbench_ids_are_named_and_their_second_rows_counted() -> None:
    inventory = load(RouterBenchConfig(), real_data("routerbench_routerdc"))
    assert (inventory.total, len(inventory.tasks)) == (3178, 3164)
    assert inventory.dropped == {"second_row_of_an_id": 14}
    missing = missing_cells(inventory)
    assert len(missing) == 14
    assert all(original_id.startswith("arc-challenge.val.") for original_id in missing)
    assert all(teams == ["gpt-3.5-turbo-1106"] for teams in missing.values())
    assert int(np.isnan(matrix(inventory)).sum()) == 14


def test_toolsandbox_scenarios_are_kept_or_counted_out_and_grouped() -> None:
    inventory = load(ToolSandboxOfflineConfig(), real_data("toolsandbox_scenarios"))
    assert (inventory.total, len(inventory.tasks)) == (1032, 1016)
    assert inventory.dropped == {"names_no_tool_and_no_database": 16}
    bases = {task.source_ids[0] for task in inventory.tasks}
    assert len(bases) == 127
    assert max(components([task.source_ids for task in inventory.tasks])) + 1 == 47


def test_toolsandbox_family_of_sixteen_has_headroom_over_all_workers() -> None:
    inventory = load(ToolSandboxOfflineConfig(), real_data("toolsandbox_scenarios"))
    values = matrix(inventory, lambda team: len(team) >= 3)
    assert values.shape == (1016, 16)
    assert values.max(axis=1).min() == 1.0
    all_workers = matrix(inventory, lambda team: len(team) == 5)
    # Minefields (26 of 127 bases) are what a team of all workers can trip.
    assert all_workers.mean() == pytest.approx(1 - 26 / 127)
