"""Which calls are measured, at which sizes, and how much of the job each one runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from inference_peers import (
    arch_bootstrap,
    duckdb_regret,
    numpy_bootstrap,
    numpy_gather,
    numpy_regret,
    ours_analytic,
    ours_logit,
    ours_mc,
    ours_regret,
    pandas_regret,
    polars_regret,
    scipy_bootstrap,
    statsmodels_logit,
)

OURS = "routeaudit"
RESAMPLES = 10_000


@dataclass(frozen=True)
class Case:
    """One measurement: ``scale`` turns what was run into the whole job, ``repeats`` takes the minimum."""

    group: str
    size: str
    method: str
    scale: float
    repeats: int
    prepare: Callable[[], Callable[[], Any]]


def bootstrap_cases() -> Iterator[Case]:
    """Joint bootstrap, B = 10,000, P = 20."""
    group = "joint bootstrap, B = 10,000, P = 20"
    fewer = {500: 10_000, 10_000: 1_000, 100_000: 100, 1_000_000: 20}
    for tasks, part in fewer.items():
        size, repeats = f"T = {tasks:,}", 5 if tasks == 500 else 1
        yield Case(
            group, size, f"{OURS} mc", 1, repeats if tasks < 1_000_000 else 1, ours_mc(tasks, RESAMPLES)
        )
        yield Case(group, size, f"{OURS} analytic", 1, 5, ours_analytic(tasks))
        scale = RESAMPLES / part
        yield Case(group, size, "scipy bootstrap", scale, repeats, scipy_bootstrap(tasks, part))
        yield Case(group, size, "arch IIDBootstrap", scale, repeats, arch_bootstrap(tasks, part))
        yield Case(group, size, "numpy bincount + sgemm", scale, repeats, numpy_bootstrap(tasks, part))
        yield Case(group, size, "numpy gather loop", scale, repeats, numpy_gather(tasks, part))


def regret_cases() -> Iterator[Case]:
    """Regret of one policy over a complete table."""
    for tasks, teams, part in ((1_000_000, 16, 1_000_000), (100_000, 4096, 2_000)):
        group, size = "regret of one policy", f"{tasks:,} x {teams}"
        scale = tasks / part
        yield Case(group, size, OURS, 1, 5, ours_regret(tasks, teams))
        yield Case(group, size, "numpy max(axis=1)", 1, 5, numpy_regret(tasks, teams))
        yield Case(group, size, "pandas", scale, 3, pandas_regret(part, teams))
        yield Case(group, size, "polars", scale, 3, polars_regret(part, teams))
        yield Case(group, size, "duckdb", scale, 3, duckdb_regret(part, teams))


def logit_cases() -> Iterator[Case]:
    """Cluster-robust logit, ten covariates."""
    for rows, clusters in ((23_391, 421), (1_000_000, 20_000)):
        size = f"{rows:,} rows, {clusters:,} clusters"
        yield Case("cluster-robust logit", size, OURS, 1, 3, ours_logit(rows, clusters))
        yield Case("cluster-robust logit", size, "statsmodels Logit", 1, 3, statsmodels_logit(rows, clusters))


def cases() -> list[Case]:
    """Every case in order."""
    return [*bootstrap_cases(), *regret_cases(), *logit_cases()]
