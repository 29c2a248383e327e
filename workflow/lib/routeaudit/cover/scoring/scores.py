"""Scores of every frozen policy under the regime that coverage allows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from routeaudit.cover.scoring import noise, sampled
from routeaudit.cover.scoring.best_of import best_of_curve
from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.regret import (
    BoolArray,
    Bounded,
    best_fixed_team,
    informative_tasks,
    observed_maximum,
    oracle_bounds,
    regret_bounds,
    union_mask,
    value_bounds,
)
from routeaudit.cover.scoring.routes import Routes
from routeaudit.cover.scoring.sampled import SampledFamily
from routeaudit.errors import InputError
from routeaudit.inference.identified import imbens_manski
from routeaudit.inference.infer import MeanInference, infer_means
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Estimate, exact_sum
from routeaudit.inference.units import FloatArray

Regime = Literal["complete", "sampled", "route_union"]
REGRET_METRIC: dict[Regime, str] = {
    "complete": "regret",
    "sampled": "sampled_action_regret",
    "route_union": "union_regret",
}
ORACLE_METRIC: dict[Regime, str] = {
    "complete": "oracle_value",
    "sampled": "sampled_oracle_value",
    "route_union": "union_oracle_value",
}


@dataclass(frozen=True, eq=False)
class Quantity:
    """One per-task quantity to be estimated: sharp bounds (T,) that coincide where coverage identifies it."""

    subject: str
    metric: str
    bounded: Bounded


def score(
    cells: Cells,
    routes: Routes,
    regime: Regime,
    plan: InferencePlan,
    sample: SampledFamily | None = None,
) -> tuple[Estimate, ...]:
    """Estimates of one endpoint.

    For every policy: value, the regime's regret and mean workers; complete also gives headroom captured;
    sampled and route_union also give sharp bounds of complete-family regret (``regret``). Then the oracle of
    the regime and, where it is defined, best fixed team, headroom, informative tasks, replicate oracles,
    random team and best-of-j. A quantity that missing cells leave unidentified has NaN estimate, ``bounds``
    and an Imbens-Manski interval.
    """
    within = comparison_set(cells, routes, regime, sample)
    quantities = list(_policy_quantities(cells, routes, regime, within))
    quantities.append(Quantity("oracle", ORACLE_METRIC[regime], oracle_bounds(cells, within)))
    quantities += _family_quantities(cells, regime, sample)
    estimates = estimate_all(quantities, cells, plan)
    return (*estimates, *_plain(cells, routes, regime))


def comparison_set(
    cells: Cells, routes: Routes, regime: Regime, sample: SampledFamily | None = None
) -> BoolArray | None:
    """Cells that regret compares with under ``regime``; None means the whole family."""
    if regime == "complete":
        return None
    if regime == "route_union":
        return union_mask(cells, routes.picks)
    if sample is None:
        raise InputError(
            "regime 'sampled'",
            "the precommitted sampled family",
            "none",
            "pass the sample that was drawn before outcomes, or use the regime route_union",
        )
    return sampled.comparator(cells, routes, sample)


def _policy_quantities(
    cells: Cells, routes: Routes, regime: Regime, within: BoolArray | None
) -> Iterator[Quantity]:
    for policy in routes.policies:
        picks = routes.of(policy)
        yield Quantity(policy, "value", value_bounds(cells, picks))
        yield Quantity(policy, REGRET_METRIC[regime], regret_bounds(cells, picks, within))
        if regime != "complete":
            yield Quantity(policy, "regret", regret_bounds(cells, picks))


def _family_quantities(cells: Cells, regime: Regime, sample: SampledFamily | None) -> list[Quantity]:
    found: list[tuple[str, str, FloatArray]] = []
    if cells.complete:
        best = observed_maximum(cells)
        split = noise.split_oracle(cells)
        if split is not None:
            found += [("oracle", "plug_in_oracle_value", best), ("oracle", "split_oracle_value", split)]
        fixed = best_fixed_team(cells) if regime == "complete" else None
        if fixed is not None:
            found += [(fixed[0], "best_fixed_value", fixed[1]), ("family", "headroom", best - fixed[1])]
    if sample is not None and not np.isnan(cells.value[sample.mask]).any():
        found.append(("random_team", "value", sampled.random_team_value(cells, sample)))
        curve = best_of_curve(cells, sample)
        found += [("family", f"best_of_{j}", curve[:, j - 1]) for j in range(1, curve.shape[1] + 1)]
    return [Quantity(subject, metric, Bounded(values, values)) for subject, metric, values in found]


def estimate_all(quantities: list[Quantity], cells: Cells, plan: InferencePlan) -> tuple[Estimate, ...]:
    """Estimates of rates; identified ones share one set of resamples."""
    points = [q for q in quantities if q.bounded.point]
    found: dict[int, MeanInference] = {}
    if points:
        values = np.stack([q.bounded.lower for q in points], axis=1)
        inferred = infer_means(values, "rate", plan, cells.cluster_codes)
        found = {id(q): result for q, result in zip(points, inferred, strict=True)}
    return tuple(
        from_inference(q.subject, cells.endpoint, q.metric, found[id(q)])
        if id(q) in found
        else unidentified(q.subject, q.metric, q.bounded, cells, plan)
        for q in quantities
    )


def from_inference(subject: str, endpoint: str, metric: str, found: MeanInference) -> Estimate:
    """An identified estimate."""
    return Estimate(
        subject=subject,
        endpoint=endpoint,
        metric=metric,
        estimate=found.mean,
        numerator=found.numerator,
        denominator=found.denominator,
        clusters=found.clusters,
        interval=found.interval,
        companions=found.companions,
        informative=found.informative,
        flags=found.flags,
        reason=found.reason,
    )


def unidentified(
    subject: str,
    metric: str,
    bounded: Bounded,
    cells: Cells,
    plan: InferencePlan,
    support: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """Sharp bounds and their Imbens-Manski interval where missing cells leave no estimate."""
    return Estimate(
        subject=subject,
        endpoint=cells.endpoint,
        metric=metric,
        estimate=math.nan,
        numerator=math.nan,
        denominator=cells.n_tasks,
        clusters=int(np.unique(cells.clusters).size),
        bounds=bounded.mean(),
        interval=imbens_manski(bounded.lower, bounded.upper, plan, cells.cluster_codes, support),
        flags=("partial",),
        reason="cells_missing",
    )


def _plain(cells: Cells, routes: Routes, regime: Regime) -> Iterator[Estimate]:
    """Descriptive statistics of the finite benchmark: no interval."""
    for policy in routes.policies:
        workers = cells.n_workers[routes.of(policy)]
        known = bool((workers >= 0).all())
        total = int(workers.sum()) if known else math.nan
        reason = "" if known else "no_n_workers"
        yield _ratio(cells, policy, "mean_workers", total, cells.n_tasks, reason)
    if regime != "complete" or not cells.complete:
        return
    yield _ratio(cells, "family", "informative_tasks", informative_tasks(cells), cells.n_tasks)
    fixed = best_fixed_team(cells)
    if fixed is not None:
        headroom = _total(observed_maximum(cells) - fixed[1])
        for policy in routes.policies:
            gained = _total(cells.value[routes.of(policy)] - fixed[1])
            reason = "" if headroom > 0 else "zero_headroom"
            yield _ratio(cells, policy, "headroom_captured", gained, headroom, reason, "headroom")


def _total(values: FloatArray) -> float | int:
    return exact_sum(float(values.sum()), bool(np.all(values == np.rint(values))))


def _ratio(
    cells: Cells,
    subject: str,
    metric: str,
    numerator: float | int,
    denominator: float | int,
    reason: str = "",
    unit: str = "task",
) -> Estimate:
    return Estimate(
        subject=subject,
        endpoint=cells.endpoint,
        metric=metric,
        estimate=math.nan if reason else numerator / denominator,
        numerator=numerator,
        denominator=denominator,
        unit=unit,
        clusters=int(np.unique(cells.clusters).size),
        reason=reason,
    )
