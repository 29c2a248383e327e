"""Per-task oracles, regret and sharp bounds under the three coverage regimes (statistics.md A1 to A4, section
0 item 4).

Everything here is per task, so that the mean over tasks is the statistic and resampling needs no oracle of
its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.maxima import task_maximum
from routeaudit.cover.scoring.routes import Routes
from routeaudit.inference.units import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Bounded:
    """Sharp per-task bounds (T,) of a quantity in [0, 1]; equal where the task identifies it."""

    lower: FloatArray
    upper: FloatArray

    @property
    def point(self) -> bool:
        """Whether every task identifies the quantity."""
        return bool(np.array_equal(self.lower, self.upper))

    def mean(self) -> tuple[float, float]:
        """Sharp bounds of the mean over tasks."""
        return float(self.lower.mean()), float(self.upper.mean())


def union_mask(cells: Cells, picks: IntArray) -> BoolArray:
    """Cells that some policy chose, (N,): U_t, the value support of ``picks`` (P, T)."""
    mask = np.zeros(cells.value.size, dtype=bool)
    mask[picks.ravel()] = True
    return mask


def contrast_support(cells: Cells, picks: IntArray) -> BoolArray:
    """Cells of tasks on which two policies differ, (N,): sufficient and minimal for all pairwise contrasts
    and R_U.

    S1 calls the whole union minimal; on agreement tasks the cell cancels, so this smaller set is
    (statistics.md A2).
    """
    mask = union_mask(cells, picks)
    chosen = np.add.reduceat(mask.astype(np.int64), cells.offsets[:-1])
    return mask & (chosen >= 2)[cells.task_of]


def pairs_support(cells: Cells, first: IntArray, second: IntArray) -> BoolArray:
    """Cells that a declared set of contrasts needs; ``first`` and ``second`` are (C, T). Section 0 item 3."""
    mask = np.zeros(cells.value.size, dtype=bool)
    apart = first != second
    mask[first[apart]] = True
    mask[second[apart]] = True
    return mask


def observed_maximum(cells: Cells, within: BoolArray | None = None) -> FloatArray:
    """Largest observed outcome of each task among ``within`` (default: the family); 0 where none is."""
    if within is None and cells.complete:
        return task_maximum(cells.value, cells.offsets)
    usable = cells.observed if within is None else cells.observed & within
    return task_maximum(np.where(usable, cells.value, 0.0), cells.offsets)


def unobserved_count(cells: Cells, within: BoolArray | None = None) -> IntArray:
    """u_t, the cells of each task (among ``within``) without an outcome."""
    lost = ~cells.observed if within is None else ~cells.observed & within
    return np.add.reduceat(lost.astype(np.int64), cells.offsets[:-1])


def oracle_bounds(cells: Cells, within: BoolArray | None = None) -> Bounded:
    """Bounds of the best outcome in the comparison set (default: the whole family)."""
    best = observed_maximum(cells, within)
    return Bounded(best, np.where(unobserved_count(cells, within) >= 1, 1.0, best))


def value_bounds(cells: Cells, picks: IntArray) -> Bounded:
    """Bounds of the policy's outcome; ``picks`` is (T,)."""
    outcome = cells.value[picks]
    lost = np.isnan(outcome)
    return Bounded(np.where(lost, 0.0, outcome), np.where(lost, 1.0, outcome))


def regret_bounds(cells: Cells, picks: IntArray, within: BoolArray | None = None) -> Bounded:
    """Sharp bounds of regret against the best of ``within`` (default: the whole family), which must hold the
    picks.

    Manski bounds per task (statistics.md A3). Never the oracle interval minus the value interval: where the
    chosen team is the only unobserved one, regret is at most the observed maximum, not 1.
    """
    best, lost = observed_maximum(cells, within), unobserved_count(cells, within)
    outcome = cells.value[picks]
    known = ~np.isnan(outcome)
    x = np.where(known, outcome, 0.0)
    lower = np.where(known, best - x, 0.0)
    upper = np.where(known, np.where(lost >= 1, 1.0, best) - x, np.where(lost >= 2, 1.0, best))
    return Bounded(lower, upper)


def contrast_bounds(cells: Cells, first: IntArray, second: IntArray) -> Bounded:
    """Sharp bounds of y(first) - y(second); 0 where both chose the same team, observed or not."""
    one, two = value_bounds(cells, first), value_bounds(cells, second)
    same = first == second
    return Bounded(
        np.where(same, 0.0, one.lower - two.upper),
        np.where(same, 0.0, one.upper - two.lower),
    )


def best_fixed_team(cells: Cells) -> tuple[str, FloatArray] | None:
    """Best fixed team in hindsight and its outcomes (T,), over teams legal in every task; None where there is
    none.

    Requires complete coverage. A team is known by its workers. Ties go to the team that comes first in
    canonical order of the first task.
    """
    names, codes = np.unique(cells.members.astype(str), return_inverse=True)
    everywhere = np.bincount(codes) == cells.n_tasks
    if not everywhere.any():
        return None
    totals = np.bincount(codes, weights=cells.value)
    first = codes[: cells.offsets[1]]
    candidates = first[everywhere[first]]
    best = int(candidates[np.argmax(totals[candidates])])
    return str(names[best]), cells.value[codes == best]


def informative_tasks(cells: Cells) -> int:
    """Tasks of a complete table whose legal teams do not all score the same."""
    low = np.minimum.reduceat(cells.value, cells.offsets[:-1])
    return int((observed_maximum(cells) != low).sum())


def routes_support_cost(cells: Cells, routes: Routes) -> dict[str, int]:
    """Executions asked for by the whole family, the value support and the contrast support; its saving."""
    value = int(union_mask(cells, routes.picks).sum())
    contrast = int(contrast_support(cells, routes.picks).sum())
    family = int(cells.value.size)
    return {"family": family, "value": value, "contrast": contrast, "saved_by_contrast": value - contrast}
