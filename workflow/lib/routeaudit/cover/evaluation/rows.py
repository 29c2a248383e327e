"""Result objects of the statistics engine as rows of the result tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.contrasts import ContrastResult, Scored
from routeaudit.cover.scoring.criteria import CriterionResult
from routeaudit.cover.scoring.regret import BoolArray, Bounded, regret_bounds, value_bounds
from routeaudit.cover.scoring.status import EvidentialStatus
from routeaudit.inference.results import Estimate, Interval, PValue

Row = dict[str, object]


def finite(value: float | int | None) -> float | None:
    """The number, or null where it is absent, NaN or infinite."""
    return None if value is None or not math.isfinite(value) else float(value)


def estimate_columns(estimate: Estimate, status: EvidentialStatus) -> Row:
    """The columns that scores, contrasts and criteria share."""
    lower, upper = (math.nan, math.nan) if estimate.bounds is None else estimate.bounds
    return {
        "estimate": finite(estimate.estimate),
        "numerator": finite(estimate.numerator),
        "denominator": float(estimate.denominator),
        "unit": estimate.unit,
        "clusters": estimate.clusters,
        **interval_columns(estimate.interval),
        "companions": [companion(interval) for interval in estimate.companions],
        "bound_lower": finite(lower),
        "bound_upper": finite(upper),
        "n_eff": estimate.informative,
        **status_columns(status, (*estimate.flags, *(estimate.interval.flags if estimate.interval else ()))),
        "reason": estimate.reason,
    }


def interval_columns(interval: Interval | None) -> Row:
    """The headline interval of a row, or the words that there is none."""
    found = interval or Interval(lower=math.nan, upper=math.nan, level=math.nan, method="none", engine="none")
    return {
        "lower": finite(found.lower),
        "upper": finite(found.upper),
        "level": finite(found.level) or 0.0,
        "method": found.method,
        "engine": found.engine,
        "rule": found.rule,
        "seed": found.seed,
        "resamples": found.resamples,
    }


def companion(interval: Interval) -> Row:
    """Another construction of the same interval."""
    return {
        "method": interval.method,
        "engine": interval.engine,
        "lower": finite(interval.lower),
        "upper": finite(interval.upper),
        "level": interval.level,
        "reason": interval.reason,
    }


def status_columns(status: EvidentialStatus, flags: tuple[str, ...]) -> Row:
    """Evidential status with its reasons; what qualifies it goes to the flags."""
    qualifiers = []
    if status.late_prospective:
        qualifiers.append("late_prospective")
    if not status.attested:
        qualifiers.append("frozen_within_this_run")
    if "no_kernel_confinement" in status.reasons:
        qualifiers.append("unconfined")
    return {
        "status": status.status.name,
        "status_reasons": list(status.reasons),
        "flags": list(dict.fromkeys((*flags, *qualifiers))),
    }


def p_value(value: PValue) -> Row:
    """A companion test."""
    return {"method": value.method, "engine": value.engine, "p": finite(value.p), "reason": value.reason}


def regret_rows(
    scored: Scored,
    policy: str,
    within: BoolArray | None,
    best_of: str,
    identity: Mapping[str, Mapping[str, Any]],
) -> list[Row]:
    """One row per task of a policy: its value, the best reachable one and the regret, or sharp bounds.

    `identity` gives a task's ``cluster_id`` and the ``cost`` of each of its teams.
    """
    cells, picks = scored.cells, scored.routes.of(policy)
    value, regret = value_bounds(cells, picks), regret_bounds(cells, picks, within)
    informative = _informative(cells, within)
    rows: list[Row] = []
    for t, task in enumerate(cells.tasks):
        team = cells.teams[picks[t]]
        known = value.lower[t] == value.upper[t]
        identified = bool(known and regret.lower[t] == regret.upper[t])
        rows.append(
            {
                "policy": policy,
                "task_id": task,
                "cluster_id": identity[task]["cluster_id"],
                "team_id": team,
                "value": float(value.lower[t]) if known else None,
                "best": float(value.lower[t] + regret.lower[t]) if identified else None,
                "best_of": best_of,
                "regret": float(regret.lower[t]) if identified else None,
                "regret_lower": float(regret.lower[t]),
                "regret_upper": float(regret.upper[t]),
                "informative": informative[t],
                "n_workers": int(cells.n_workers[picks[t]]),
                "cost": float(identity[task]["costs"][team]),
            }
        )
    return rows


def _informative(cells: Cells, within: BoolArray | None) -> list[bool | None]:
    """Whether the compared cells of each task differ; null where one of them has no outcome."""
    mask = np.ones(cells.value.size, dtype=bool) if within is None else within
    found: list[bool | None] = []
    for start, stop in zip(cells.offsets[:-1], cells.offsets[1:], strict=True):
        values = cells.value[start:stop][mask[start:stop]]
        found.append(None if np.isnan(values).any() else bool(values.size and values.max() != values.min()))
    return found


def contrast_columns(result: ContrastResult, scored: Scored, status: EvidentialStatus, alpha: float) -> Row:
    """The columns of a tested contrast."""
    declared = result.contrast
    levels = {
        role: value_bounds(scored.cells, scored.routes.of(name)) for role, name in _roles(result).items()
    }
    companions = [p_value(p) for p in result.companion_p if not math.isnan(p.p)]
    if result.max_t is not None:
        companions.insert(0, {"method": "max_t", "engine": "mc", "p": finite(result.max_t), "reason": ""})
    return {
        "policy": declared.policy,
        "reference": declared.reference,
        "metric": declared.metric,
        **{f"{role}_value": _mean(level) for role, level in levels.items()},
        "wins": result.wins,
        "losses": result.losses,
        **estimate_columns(result.gain, status),
        "error": finite(result.error),
        "detectable": finite(result.detectable),
        "p": finite(result.p.p),
        "p_method": result.p.method,
        "p_engine": result.p.engine,
        "p_companions": companions,
        "adjusted": result.adjusted is not None,
        "p_adjusted": finite(result.adjusted),
        "reject": None if result.adjusted is None else bool(result.adjusted <= alpha),
    }


def _roles(result: ContrastResult) -> dict[str, str]:
    return {"policy": result.contrast.policy, "reference": result.contrast.reference}


def _mean(bounded: Bounded) -> float | None:
    return bounded.mean()[0] if bounded.point else None


def criterion_columns(result: CriterionResult, status: EvidentialStatus) -> Row:
    """The columns of a judged criterion."""
    low, high = result.regret
    exact = low == high
    estimate = Estimate(
        subject=result.criterion.policy,
        endpoint=result.criterion.endpoint,
        metric="regret",
        estimate=low if exact else math.nan,
        numerator=low * result.denominator if exact else math.nan,
        denominator=result.denominator,
        clusters=result.clusters,
        interval=result.confidence,
        bounds=None if exact else result.regret,
        flags=result.flags,
        reason="" if exact else "cells_missing",
    )
    return {
        "criterion": result.criterion.id,
        "policy": result.criterion.policy,
        "at_most": result.criterion.threshold,
        **estimate_columns(estimate, status),
        "point_verdict": result.point,
        "verdict": result.bound,
    }
