"""A table that exists already, scored without a contract: regime, scores, all pairs, what to run next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.cover.scoring.cells import Cells, build_cells
from routeaudit.cover.scoring.contrasts import Contrast, ContrastResult, Scored, evaluate_contrasts
from routeaudit.cover.scoring.criteria import Criterion, CriterionResult, judge
from routeaudit.cover.scoring.honesty import findings
from routeaudit.cover.scoring.next_cells import NextCells, for_contrasts, for_criterion
from routeaudit.cover.scoring.ranking import Pair, Ranking, rank_policies
from routeaudit.cover.scoring.regret import routes_support_cost, union_mask
from routeaudit.cover.scoring.routes import Routes, locate_routes
from routeaudit.cover.scoring.scores import Regime, score
from routeaudit.cover.scoring.sources import source_clusters, tasks_without_source
from routeaudit.inference.findings import Finding
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Estimate
from routeaudit.inference.units import FloatArray, IntArray
from routeaudit.tables.foreign.keys import keys

RouteTable = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, eq=False)
class EndpointAssessment:
    """Everything about one endpoint; ``why`` says in words how ``regime`` follows from the coverage."""

    endpoint: str
    regime: Regime
    why: str
    counts: Mapping[str, int]
    support: Mapping[str, int]
    tasks: int
    clusters: int
    estimates: tuple[Estimate, ...]
    criteria: tuple[CriterionResult, ...]
    next_cells: tuple[NextCells, ...]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "endpoint": self.endpoint,
            "regime": self.regime,
            "why": self.why,
            "counts": dict(self.counts),
            "support": dict(self.support),
            "tasks": self.tasks,
            "clusters": self.clusters,
            "estimates": [estimate.to_dict() for estimate in self.estimates],
            "criteria": [result.to_row() for result in self.criteria],
            "next_cells": [found.to_dict() for found in self.next_cells],
            "findings": [found.to_dict() for found in self.findings],
        }


@dataclass(frozen=True, eq=False)
class Assessment:
    """Endpoints with a ranking each where there are two policies, and all paired contrasts under one Holm.

    Descriptive: no contract was sealed. ``without_source`` tasks have no source id although the table has the
    column.
    """

    endpoints: tuple[EndpointAssessment, ...]
    contrasts: tuple[ContrastResult, ...]
    rankings: tuple[Ranking, ...]
    without_source: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "status": "descriptive",
            "status_reason": "no contract was sealed before these outcomes; p-values are nominal",
            "tasks_without_source_id": self.without_source,
            "endpoints": [endpoint.to_dict() for endpoint in self.endpoints],
            "rankings": [ranking.to_dict() for ranking in self.rankings],
            "contrasts": [contrast.to_dict() for contrast in self.contrasts],
        }


def assess(
    outcomes: pa.Table,
    routes: RouteTable,
    plan: InferencePlan,
    family: pa.Table | None = None,
    thresholds: Mapping[str, float] | None = None,
) -> Assessment:
    """Score every endpoint of ``outcomes`` (as ``read_outcomes`` gives them).

    ``family`` is the legal family; without it the teams that the table lists for a task are taken, and
    complete-family regret is claimed only where every task lists the same teams. ``thresholds`` maps a policy
    to its regret criterion.
    """
    listed = _listed_family(outcomes, routes) if family is None else family
    known = family is not None or _uniform(listed)
    clusters = source_clusters(outcomes)
    scored, parts = {}, []
    for endpoint in pc.unique(outcomes["endpoint"]).to_pylist():
        cells = build_cells(listed, outcomes, endpoint, clusters)
        table = Scored(cells, locate_routes(cells, routes))
        scored[endpoint] = table
        parts.append(_assess_endpoint(table, plan, known, family is not None, thresholds or {}))
    pairs = [
        Contrast(id=f"{p} - {q} ({endpoint})", policy=p, reference=q, endpoint=endpoint, in_family=True)
        for endpoint in scored
        for p, q in combinations(routes, 2)
    ]
    contrasts = evaluate_contrasts(scored, pairs, plan)
    rankings = [
        ranking_of(part, table.routes.named_outcomes(table.cells), contrasts, plan, table.cells.cluster_codes)
        for part, table in zip(parts, scored.values(), strict=True)
    ]
    return Assessment(
        tuple(parts), contrasts, tuple(rankings) if pairs else (), tasks_without_source(outcomes)
    )


def ranking_of(
    part: EndpointAssessment,
    outcomes: Mapping[str, FloatArray],
    contrasts: Iterable[ContrastResult],
    plan: InferencePlan,
    clusters: IntArray | None = None,
) -> Ranking:
    """The ranking of an endpoint from its policies' outcomes (T,), their estimates and their contrasts."""
    ends = {
        estimate.subject: (estimate.interval.lower, estimate.interval.upper)
        for estimate in part.estimates
        if estimate.metric == "value" and estimate.interval is not None
    }
    tested = [
        Pair(
            policy=result.contrast.policy,
            reference=result.contrast.reference,
            gain=result.gain.estimate,
            p=math.nan if result.adjusted is None else result.adjusted,
        )
        for result in contrasts
        if result.contrast.endpoint == part.endpoint
    ]
    return rank_policies(part.endpoint, outcomes, ends, tested, plan, clusters)


def _listed_family(outcomes: pa.Table, routes: RouteTable) -> pa.Table:
    """Teams listed or routed for each task, with their number of workers where the table has it."""
    columns = ["task_id", "team_id", *(name for name in ("n_workers",) if name in outcomes.column_names)]
    pairs = [pair for chosen in routes.values() for pair in chosen.items()]
    routed = pa.table(
        {
            "task_id": pa.array([task for task, _ in pairs], pa.string()),
            "team_id": pa.array([team for _, team in pairs], pa.string()),
        }
    )
    routed = routed.filter(pc.is_in(routed["task_id"], value_set=pc.unique(outcomes["task_id"])))
    every = pa.concat_tables([outcomes.select(columns), routed], promote_options="default")
    _, first = np.unique(keys(every, ("task_id", "team_id")), return_index=True)
    listed = every.take(np.sort(first))
    if "n_workers" in columns:
        return listed
    return listed.append_column("n_workers", pa.nulls(listed.num_rows, pa.int64()))


def _uniform(family: pa.Table) -> bool:
    """Whether every task lists the same teams."""
    cells = len(pc.unique(family["task_id"])) * len(pc.unique(family["team_id"]))
    return bool(cells == family.num_rows)


def _assess_endpoint(
    table: Scored, plan: InferencePlan, known: bool, declared: bool, thresholds: Mapping[str, float]
) -> EndpointAssessment:
    cells, routes = table.cells, table.routes
    regime, why = _regime(cells, routes, known, declared)
    estimates: Iterable[Estimate] = score(cells, routes, regime, plan)
    if not known:
        estimates = (estimate for estimate in estimates if estimate.metric != "regret")
    criteria = [
        Criterion(id=f"{policy} <= {c:g}", policy=policy, endpoint=cells.endpoint, threshold=c)
        for policy, c in thresholds.items()
        if known
    ]
    return EndpointAssessment(
        endpoint=cells.endpoint,
        regime=regime,
        why=why,
        counts=cells.counts,
        support=routes_support_cost(cells, routes),
        tasks=cells.n_tasks,
        clusters=int(np.unique(cells.clusters).size),
        estimates=tuple(estimates),
        criteria=tuple(judge(criterion, cells, routes, plan) for criterion in criteria),
        next_cells=_next(cells, routes, criteria),
        findings=findings(cells, routes),
    )


def _regime(cells: Cells, routes: Routes, known: bool, declared: bool) -> tuple[Regime, str]:
    origin = "the family file" if declared else "listed or routed, the same for every task"
    if known and cells.complete:
        return "complete", f"every legal team of every task has an outcome (legal family: {origin})"
    union = union_mask(cells, routes.picks)
    missing = int((union & ~cells.observed).sum())
    if not known:
        reason = "tasks list different teams and no family file was given: absolute regret is not identified"
    else:
        reason = f"{int((~cells.observed).sum())} legal cells have no outcome (legal family: {origin})"
    if missing:
        return (
            "route_union",
            f"{reason}; {missing} routed cells are missing too: sharp bounds where they matter",
        )
    return "route_union", f"{reason}; every routed cell has an outcome: contrasts are identified"


def _next(cells: Cells, routes: Routes, criteria: list[Criterion]) -> tuple[NextCells, ...]:
    judged = [for_criterion(cells, routes, c.policy, c.threshold) for c in criteria]
    return (*for_contrasts(cells, routes), *(found for found in judged if found))
