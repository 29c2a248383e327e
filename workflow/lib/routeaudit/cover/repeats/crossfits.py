"""Repeated cross-fits: the declared differences over clusters and over deals of the folds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from routeaudit.cover.evaluation.rows import finite
from routeaudit.cover.freeze import crossfit_assignment
from routeaudit.cover.repeats.material import Crossfitted
from routeaudit.inference.infer import infer_means
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.units import FloatArray
from routeaudit.tables.schema import schema

REPEATS = 20

# One row per contrast and deal of the folds; `fold_seed` 0 is the mean over all deals, task by task. The
# interval is over source components; the spread of the deals is that of the rows with a seed.
REPEATED = schema(
    "repeated",
    ("contrast", "fold_seed"),
    contrast=pa.string(),
    fold_seed=pa.int64(),
    policy=pa.string(),
    reference=pa.string(),
    policy_regret=pa.float64(),
    reference_regret=pa.float64(),
    estimate=pa.float64(),
    lower=(pa.float64(), "null"),
    upper=(pa.float64(), "null"),
    method=pa.string(),
    tasks=pa.int64(),
    clusters=pa.int64(),
)


def repeated(study: Crossfitted, plan: InferencePlan, repeats: int = REPEATS) -> pa.Table:
    """REPEATED: every declared contrast under `repeats` deals of the folds, and under their mean."""
    seeds = range(1, repeats + 1)
    deals = [crossfit_assignment(study.clusters, study.folds, seed) for seed in seeds]
    by_seed = dict(zip(seeds, study.regrets(deals), strict=True))
    mean = {name: np.mean([found[name] for found in by_seed.values()], axis=0) for name in study.routers}
    return REPEATED.from_rows(
        [row for seed, regrets in {0: mean, **by_seed}.items() for row in _rows(study, plan, seed, regrets)]
    )


def _rows(
    study: Crossfitted, plan: InferencePlan, seed: int, regrets: Mapping[str, FloatArray]
) -> list[dict[str, object]]:
    gains = np.stack([regrets[other] - regrets[one] for one, other in study.pairs.values()], axis=1)
    inferred = infer_means(gains, "difference", plan, study.cells.cluster_codes, (-1.0, 1.0))
    return [
        {
            "contrast": contrast,
            "fold_seed": seed,
            "policy": policy,
            "reference": reference,
            "policy_regret": float(regrets[policy].mean()),
            "reference_regret": float(regrets[reference].mean()),
            "estimate": found.mean,
            "lower": finite(found.interval.lower),
            "upper": finite(found.interval.upper),
            "method": found.interval.method,
            "tasks": study.cells.n_tasks,
            "clusters": found.clusters,
        }
        for (contrast, (policy, reference)), found in zip(study.pairs.items(), inferred, strict=True)
    ]
