"""Crossed-stack 2x2: does a router's gain depend on the workers' or the finalizer's model (A8)?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from routeaudit.cover.scoring.contrasts import Scored
from routeaudit.cover.scoring.scores import from_inference
from routeaudit.errors import InputError
from routeaudit.inference.equivalence import Equivalence, two_one_sided_tests
from routeaudit.inference.infer import infer_means
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Estimate, PValue
from routeaudit.inference.units import FloatArray, IntArray

Stack = tuple[str, str]
_EFFECTS: dict[str, tuple[float, float, float, float]] = {
    "gain_00": (1, 0, 0, 0),
    "gain_01": (0, 1, 0, 0),
    "gain_10": (0, 0, 1, 0),
    "gain_11": (0, 0, 0, 1),
    "main": (0.25, 0.25, 0.25, 0.25),
    "router_finalizer_0": (-1, 1, 0, 0),
    "router_finalizer_1": (0, 0, -1, 1),
    "router_finalizer": (-0.5, 0.5, -0.5, 0.5),
    "router_worker_0": (-1, 0, 1, 0),
    "router_worker_1": (0, -1, 0, 1),
    "router_worker": (-0.5, -0.5, 0.5, 0.5),
    "three_way": (1, -1, -1, 1),
}
"""Coefficients on the gains (worker, finalizer) = (0,0), (0,1), (1,0), (1,1)."""


@dataclass(frozen=True, eq=False)
class CrossedGains:
    """Per-task gains of ``policy`` over ``reference``, shape (T, 4) in the order of two workers x two
    finalizers.

    ``excluded`` counts tasks without all eight outcomes: the design is complete-case.
    """

    workers: tuple[str, str]
    finalizers: tuple[str, str]
    gains: FloatArray
    clusters: IntArray | None
    excluded: int


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One paired contrast of the 2x2; ``detectable`` is found with 80 % power, ``equivalence`` tests the
    margin.
    """

    estimate: Estimate
    p: PValue
    detectable: float
    equivalence: Equivalence

    def to_row(self) -> dict[str, Any]:
        """Flat mapping for a table."""
        return {
            **self.estimate.to_row(),
            "p": self.p.p,
            "p_method": self.p.method,
            "p_engine": self.p.engine,
            "adjusted": False,
            "detectable": self.detectable,
            "margin": self.equivalence.margin,
            "p_equivalence": self.equivalence.p,
            "equivalent": self.equivalence.equivalent,
        }


def crossed_gains(tables: Mapping[Stack, Scored], policy: str, reference: str) -> CrossedGains:
    """Per-task gains from four stacks (worker model, finalizer model) that share tasks and routes."""
    workers = tuple(dict.fromkeys(worker for worker, _ in tables))
    finalizers = tuple(dict.fromkeys(finalizer for _, finalizer in tables))
    if len(workers) != 2 or len(finalizers) != 2 or len(tables) != 4:
        raise InputError(
            "crossed stacks",
            "two worker models x two finalizer models",
            f"{len(tables)} stacks of {len(workers)} worker and {len(finalizers)} finalizer models",
            "name the four stacks of the 2x2",
        )
    order = [(worker, finalizer) for worker in workers for finalizer in finalizers]
    first = tables[order[0]].cells
    if any(not np.array_equal(tables[stack].cells.tasks, first.tasks) for stack in order):
        raise InputError(
            "crossed stacks", "the same tasks in every stack", "different tasks", "score them on one family"
        )
    gains = np.stack([_gain(tables[stack], policy, reference) for stack in order], axis=1)
    kept = ~np.isnan(gains).any(axis=1)
    codes = first.clusters[kept]
    clusters = codes if np.unique(codes).size < codes.size else None
    return CrossedGains(
        (workers[0], workers[1]), (finalizers[0], finalizers[1]), gains[kept], clusters, int((~kept).sum())
    )


def _gain(scored: Scored, policy: str, reference: str) -> FloatArray:
    value = scored.cells.value
    gain: FloatArray = value[scored.routes.of(policy)] - value[scored.routes.of(reference)]
    return gain


def crossed_effects(
    crossed: CrossedGains, plan: InferencePlan, margin: float, endpoint: str = ""
) -> dict[str, Effect]:
    """Gains per cell, main effect, router x finalizer, router x worker and the three-way interaction.

    Keys are those of ``_EFFECTS``; suffix 0 / 1 is the first / second worker (router_finalizer_) or finalizer
    (router_worker_). Each is one per-task contrast, so pairing is kept; four separate intervals are never
    combined.
    """
    names = list(_EFFECTS)
    coefficients = np.array([_EFFECTS[name] for name in names])
    values = crossed.gains @ coefficients.T
    flags = ("complete_case",) if crossed.excluded else ()
    effects = {}
    for name, column, weights in zip(names, values.T, coefficients, strict=True):
        limit = float(np.abs(weights).sum())
        found = infer_means(column[:, None], "difference", plan, crossed.clusters, (-limit, limit))[0]
        estimate = from_inference("crossed", endpoint, name, found)
        tost = two_one_sided_tests(found.mean, found.error, found.clusters, margin, plan.alpha)
        effects[name] = Effect(
            estimate=replace(estimate, flags=(*estimate.flags, *flags)),
            p=found.p,
            detectable=found.detectable,
            equivalence=tost,
        )
    return effects
