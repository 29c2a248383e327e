"""The learning curve: regret by the share of the training components that a router may learn from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from routeaudit.cover.freeze import Assignment, crossfit_assignment
from routeaudit.cover.freeze.assignment import Fit
from routeaudit.cover.repeats.material import Crossfitted
from routeaudit.tables.schema import schema

SHARES = (0.25, 0.5, 0.75, 1.0)
DEALS = 5

# Mean regret over all tasks, and its standard deviation over deals of the folds.
LEARNING_CURVE = schema(
    "learning_curve",
    ("policy", "share"),
    policy=pa.string(),
    share=pa.float64(),
    training_tasks=pa.float64(),
    regret=pa.float64(),
    deviation=pa.float64(),
    deals=pa.int64(),
    tasks=pa.int64(),
)


def learning_curve(study: Crossfitted, deals: int = DEALS) -> pa.Table:
    """LEARNING_CURVE of the policies that the declared tests name; smaller shares lie inside larger ones."""
    keys = [(share, seed) for share in SHARES for seed in range(1, deals + 1)]
    assignments = [
        thinned(crossfit_assignment(study.clusters, study.folds, seed), share, seed) for share, seed in keys
    ]
    regrets = study.regrets(assignments)
    sizes = [float(np.mean([len(fit.train) for fit in made.fits])) for made in assignments]
    rows: list[dict[str, object]] = []
    for share in SHARES:
        places = [place for place, (at, _) in enumerate(keys) if at == share]
        for policy in study.routers:
            means = np.array([regrets[place][policy].mean() for place in places])
            rows.append(
                {
                    "policy": policy,
                    "share": share,
                    "training_tasks": float(np.mean([sizes[place] for place in places])),
                    "regret": float(means.mean()),
                    "deviation": float(means.std(ddof=1)) if means.size > 1 else 0.0,
                    "deals": len(places),
                    "tasks": study.cells.n_tasks,
                }
            )
    return LEARNING_CURVE.from_rows(rows)


def thinned(assignment: Assignment, share: float, seed: int) -> Assignment:
    """The same routed tasks, each fit learning from a seeded share of its training components."""
    fits = tuple(
        Fit(_kept(fit.train, assignment.clusters, share, seed), fit.route, fit.fold)
        for fit in assignment.fits
    )
    return Assignment(fits, assignment.clusters)


def _kept(train: tuple[str, ...], clusters: Mapping[str, str], share: float, seed: int) -> tuple[str, ...]:
    order = sorted(
        {clusters[task] for task in train},
        key=lambda cluster: hashlib.sha256(f"{seed}|{cluster}".encode()).digest(),
    )
    kept = set(order[: max(1, round(share * len(order)))])
    return tuple(task for task in train if clusters[task] in kept)
