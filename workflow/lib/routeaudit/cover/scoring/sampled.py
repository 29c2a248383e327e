"""Precommitted sampled family: seeded draws, sampled-action regret, random team (A4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.regret import BoolArray, Bounded, regret_bounds, union_mask
from routeaudit.cover.scoring.routes import Routes
from routeaudit.inference.units import FloatArray


@dataclass(frozen=True, eq=False)
class SampledFamily:
    """S_t: ``mask`` (N,) marks the drawn cells; ``seed`` redraws them."""

    mask: BoolArray
    seed: int
    size: int


def draw_sample(cells: Cells, size: int, seed: int) -> SampledFamily:
    """Draw min(size, A_t) teams of each task without replacement, before outcomes.

    A team's rank is SHA-256 of (seed, task id, team id): independent of order, of other tasks and of any
    outcome.
    """
    names = zip(cells.tasks[cells.task_of], cells.teams, strict=True)
    ranks = np.array([_rank(seed, task, team) for task, team in names], dtype=np.uint64)
    order = np.lexsort((ranks, cells.task_of))
    place = np.arange(ranks.size) - cells.offsets[:-1][cells.task_of]
    mask = np.zeros(ranks.size, dtype=bool)
    mask[order[place < size]] = True
    return SampledFamily(mask, seed, size)


def _rank(seed: int, task: str, team: str) -> int:
    digest = hashlib.sha256(f"{seed}\x1f{task}\x1f{team}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def comparator(cells: Cells, routes: Routes, sample: SampledFamily) -> BoolArray:
    """S_t u U_t, U_t the teams of all frozen policies: the set must not depend on the policy (section 0)."""
    return sample.mask | union_mask(cells, routes.picks)


def sampled_regret(cells: Cells, routes: Routes, sample: SampledFamily, policy: str) -> Bounded:
    """Sampled-action regret R_S per task, a lower bound of R_F; identified where S_t u U_t was executed."""
    return regret_bounds(cells, routes.of(policy), comparator(cells, routes, sample))


def family_regret_bounds(cells: Cells, routes: Routes, policy: str) -> Bounded:
    """Sharp bounds of complete-family regret R_F from what was executed."""
    return regret_bounds(cells, routes.of(policy))


def random_team_value(cells: Cells, sample: SampledFamily) -> FloatArray:
    """Per-task mean over S_t, unbiased for a uniformly random legal team; NaN if a drawn cell is missing."""
    chosen = sample.mask.astype(np.float64)
    totals = np.add.reduceat(np.where(sample.mask, cells.value, 0.0), cells.offsets[:-1])
    result: FloatArray = totals / np.add.reduceat(chosen, cells.offsets[:-1])
    return result
