"""Replicated outcomes: oracles that bracket the oracle of expected outcomes (A1, ambiguity 1)."""

from __future__ import annotations

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.maxima import task_maximum
from routeaudit.inference.units import FloatArray


def plug_in_oracle(cells: Cells) -> FloatArray:
    """Per-task maximum of replicate means (T,): biased upwards for the oracle of expected outcomes."""
    return task_maximum(cells.value, cells.offsets)


def split_oracle(cells: Cells) -> FloatArray | None:
    """Per-task split-replicate oracle (T,): best team on one half, scored on the other, both directions
    averaged.

    Biased downwards. With the plug-in it brackets the oracle of expectations in expectation only (section 0
    item 12). None with fewer than two replicates or where a replicate of a cell is absent.
    """
    table = cells.replicates
    if table is None or table.shape[1] < 2 or np.isnan(table).any():
        return None
    half = table.shape[1] // 2
    first, second = table[:, :half].mean(axis=1), table[:, half:].mean(axis=1)
    return (_scored_elsewhere(cells, first, second) + _scored_elsewhere(cells, second, first)) / 2


def _scored_elsewhere(cells: Cells, choose_on: FloatArray, score_on: FloatArray) -> FloatArray:
    """Outcome in ``score_on`` of the team that is best in ``choose_on``; ties go to the canonical order."""
    order = np.lexsort((np.arange(choose_on.size), -choose_on, cells.task_of))
    result: FloatArray = score_on[order[cells.offsets[:-1]]]
    return result
