"""What to run next: the cheapest missing cells that would identify a contrast or could decide a criterion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.regret import (
    contrast_bounds,
    observed_maximum,
    pairs_support,
    regret_bounds,
)
from routeaudit.cover.scoring.routes import Routes
from routeaudit.inference.units import FloatArray, IntArray

Effect = Literal["identifies", "could_pass", "could_fail"]


@dataclass(frozen=True)
class NextCells:
    """Missing cells to execute, cheapest first, and what they do for ``target``.

    ``cost`` sums the workers of the teams (1 a cell where unknown). ``fewest_to_decide`` is the least number
    of cells after which the sign of a contrast could be settled, were all of them to come out one way; 0
    where it is settled.
    """

    target: str
    effect: Effect
    cells: tuple[tuple[str, str], ...]
    cost: int
    fewest_to_decide: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "target": self.target,
            "effect": self.effect,
            "cells": [list(cell) for cell in self.cells],
            "cost": self.cost,
            "fewest_to_decide": self.fewest_to_decide,
        }


def _named(cells: Cells, chosen: IntArray) -> tuple[tuple[str, str], ...]:
    tasks = cells.tasks[cells.task_of[chosen]]
    return tuple(zip(tasks.tolist(), cells.teams[chosen].tolist(), strict=True))


def _costs(cells: Cells) -> IntArray:
    return np.where(cells.n_workers > 0, cells.n_workers, 1)


def for_contrasts(cells: Cells, routes: Routes) -> list[NextCells]:
    """What to run for each pair of policies that is not identified, in order of policies."""
    partial = [bool(np.isnan(outcomes).any()) for outcomes in routes.named_outcomes(cells).values()]
    pairs = [(p, q) for p, q in combinations(range(len(routes.policies)), 2) if partial[p] or partial[q]]
    found = [for_contrast(cells, routes, routes.policies[p], routes.policies[q]) for p, q in pairs]
    return [step for step in found if step.cells]


def for_contrast(cells: Cells, routes: Routes, policy: str, reference: str) -> NextCells:
    """Every missing cell of the contrast's support; empty where it is identified."""
    first, second = routes.of(policy), routes.of(reference)
    support = pairs_support(cells, first[None, :], second[None, :])
    missing = np.flatnonzero(support & ~cells.observed)
    costs = _costs(cells)
    missing = missing[np.argsort(costs[missing], kind="stable")]
    low, high = contrast_bounds(cells, first, second).mean()
    settled = low > 0 or high < 0 or not missing.size
    distance = min(-low, high) * cells.n_tasks
    fewest = 0 if settled else min(missing.size, math.floor(distance + 1e-9) + 1)
    return NextCells(
        f"{policy} - {reference}", "identifies", _named(cells, missing), int(costs[missing].sum()), fewest
    )


@dataclass(frozen=True)
class _Bundle:
    """Missing cells of one task and by how much their outcomes could move a sum of bounds."""

    cells: tuple[int, ...]
    move: float
    cost: int


def for_criterion(cells: Cells, routes: Routes, policy: str, threshold: float) -> NextCells | None:
    """Missing cells whose outcomes could settle regret <= threshold by the sharp bounds, either way.

    Greedy by movement of the bound per cost. None where the bounds settle it already.
    """
    picks = routes.of(policy)
    bounds = regret_bounds(cells, picks)
    limit = threshold * cells.n_tasks + 1e-9
    above, below = float(bounds.upper.sum()) - limit, limit - float(bounds.lower.sum())
    if above <= 0 or below < 0:
        return None
    lowering, raising = _bundles(cells, picks, bounds.upper)
    options: list[tuple[Effect, tuple[_Bundle, ...]]] = [
        ("could_pass", _greedy(lowering, above)),
        ("could_fail", _greedy(raising, below + 1e-9)),
    ]
    effect, chosen = min(
        ((effect, bundles) for effect, bundles in options if bundles), key=lambda option: _cost(option[1])
    )
    places = np.array([cell for bundle in chosen for cell in bundle.cells], dtype=np.int64)
    target = f"regret of {policy} <= {threshold:g}"
    return NextCells(target, effect, _named(cells, places), _cost(chosen), places.size)


def _cost(bundles: tuple[_Bundle, ...]) -> int:
    return sum(bundle.cost for bundle in bundles)


def _greedy(bundles: list[_Bundle], needed: float) -> tuple[_Bundle, ...]:
    """Bundles in order of movement per cost until they move the sum by ``needed``; empty where all are too
    little.
    """
    chosen: list[_Bundle] = []
    moved = 0.0
    for bundle in sorted(bundles, key=lambda bundle: (bundle.cost / bundle.move, bundle.cells)):
        if moved >= needed:
            break
        chosen.append(bundle)
        moved += bundle.move
    return tuple(chosen) if moved >= needed else ()


def _bundles(cells: Cells, picks: IntArray, upper: FloatArray) -> tuple[list[_Bundle], list[_Bundle]]:
    """Per task, the cells that could lower the upper bound and those that could raise the lower bound."""
    best, costs = observed_maximum(cells), _costs(cells)
    lowering, raising = [], []
    for t in np.flatnonzero(np.add.reduceat(~cells.observed, cells.offsets[:-1])):
        missing = cells.offsets[t] + np.flatnonzero(~cells.observed[cells.offsets[t] : cells.offsets[t + 1]])
        pick, room = int(picks[t]), 1.0 - float(best[t])
        others = sorted((int(cell) for cell in missing if cell != pick), key=lambda cell: int(costs[cell]))
        if cells.observed[pick]:
            lowering.append(_bundle(tuple(others), room, costs))
            raising.append(_bundle((others[0],), room, costs))
        else:
            lowering.append(_bundle((pick,), float(upper[t]), costs))
            raising.append(_bundle((pick,), float(best[t]), costs))
            raising += [_bundle((pick, others[0]), 1.0, costs)] if others and best[t] == 0 else []
    return [b for b in lowering if b.move > 0], [b for b in raising if b.move > 0]


def _bundle(chosen: tuple[int, ...], move: float, costs: IntArray) -> _Bundle:
    return _Bundle(chosen, move, int(costs[list(chosen)].sum()))
