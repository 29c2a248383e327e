"""Builds a named interval of a column under an engine, with its flags and fall-backs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from routeaudit.inference import binomial, intervals
from routeaudit.inference.columns import Column
from routeaudit.inference.gaffke import gaffke_bounds
from routeaudit.inference.laws import BootstrapLaw, EmpiricalLaw
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Interval
from routeaudit.inference.units import FloatArray

CLOSED_FORM = ("agresti_min", "wilson", "clopper_pearson", "gaffke", "student_t", "cluster_t")
BINARY_ONLY = ("agresti_min", "wilson", "clopper_pearson")
STUDENTIZED = ("studentized", "student_hull")
METHODS = ("percentile", "expanded_percentile", "bca", *STUDENTIZED, *CLOSED_FORM)


@dataclass(frozen=True, eq=False)
class Replicated:
    """Monte Carlo replicates of one column: sorted means and sorted t; either may be absent."""

    means: FloatArray | None = None
    t: FloatArray | None = None


def nan_interval(reason: str, method: str, plan: InferencePlan) -> Interval:
    """An interval that does not exist, and why."""
    return Interval(
        lower=math.nan, upper=math.nan, level=plan.level, method=method, engine="none", reason=reason
    )


def construct(
    method: str, column: Column, plan: InferencePlan, replicated: Replicated, rule: str = ""
) -> Interval:
    """Interval ``method`` of the column's mean; end points are clipped to the support of the outcomes."""
    if column.units < 2:
        return nan_interval("one_cluster" if column.clustered else "one_task", method, plan)
    if method in BINARY_ONLY and not column.binary:
        return nan_interval("not_binary", method, plan)
    if method in CLOSED_FORM:
        ends, engine = _closed_form(method, column, plan.level), "closed_form"
        return _interval(ends, method, engine, column, plan, rule)
    if method in STUDENTIZED:
        return _studentized(method, column, plan, replicated, rule)
    law = _law(column, plan, replicated)
    if law is None:
        return nan_interval("not_on_a_lattice", method, plan)
    return _from_law(method, law, column, plan, rule)


def _closed_form(method: str, column: Column, level: float) -> intervals.Ends:
    n = column.values.size
    if method == "agresti_min":
        return binomial.agresti_min(column.wins, column.losses, n, level)
    if method == "wilson":
        return binomial.wilson(column.wins, n, level)
    if method == "clopper_pearson":
        return binomial.clopper_pearson(column.wins, n, level)
    if method == "gaffke":
        return gaffke_bounds(column.unit_means, (1 + level) / 2, column.support)
    return intervals.student_t(column.mean, column.error, column.units - 1, level)


def _law(column: Column, plan: InferencePlan, replicated: Replicated) -> BootstrapLaw | None:
    if column.error == 0:
        return EmpiricalLaw(np.array([column.mean]), engine="exact")
    if plan.engine == "analytic":
        return column.analytic_law()
    if plan.engine in ("auto", "exact"):
        law = column.exact_law()
        if law is not None or plan.engine == "exact":
            return law
    return None if replicated.means is None else EmpiricalLaw(replicated.means)


def _from_law(method: str, law: BootstrapLaw, column: Column, plan: InferencePlan, rule: str) -> Interval:
    if method == "expanded_percentile":
        ends = intervals.expanded_percentile(law, plan.level, column.units)
    elif method == "percentile":
        ends = intervals.percentile(law, plan.level)
    else:
        found = (
            None if column.error == 0 else intervals.bca(law, column.mean, column.acceleration, plan.level)
        )
        if found is None:
            return _fall_back("bca_unstable", column, plan, rule)
        ends = found
    flags = _disagreement(method, ends, column, plan, law.engine)
    return _interval(ends, method, law.engine, column, plan, rule, flags)


def _studentized(
    method: str, column: Column, plan: InferencePlan, replicated: Replicated, rule: str
) -> Interval:
    """Bootstrap-t interval, or its hull with t: t is too short on skew, bootstrap-t on many zeros."""
    if column.error == 0:
        return _interval((column.mean, column.mean), method, "exact", column, plan, rule)
    if replicated.t is None:
        return _fall_back("student_needs_mc", column, plan, rule)
    ends = intervals.studentized(EmpiricalLaw(replicated.t), column.mean, column.error, plan.level)
    if ends is None:
        return _fall_back("student_inf", column, plan, rule)
    if method == "student_hull":
        t_ends = intervals.student_t(column.mean, column.error, column.units - 1, plan.level)
        ends = min(ends[0], t_ends[0]), max(ends[1], t_ends[1])
    return _interval(ends, method, "mc", column, plan, rule)


def _fall_back(flag: str, column: Column, plan: InferencePlan, rule: str) -> Interval:
    ends = intervals.student_t(column.mean, column.error, column.units - 1, plan.level)
    return _interval(ends, "student_t", "closed_form", column, plan, rule, (flag,))


def _disagreement(
    method: str, ends: intervals.Ends, column: Column, plan: InferencePlan, engine: str
) -> tuple[str, ...]:
    """Cross-check of a percentile interval against the analytic engine: 0.15 standard errors (E2)."""
    if method != "percentile" or engine == "analytic" or column.units < 50 or column.error == 0:
        return ()
    analytic = intervals.percentile(column.analytic_law(), plan.level)
    gap = max(abs(a - b) for a, b in zip(ends, analytic, strict=True))
    lattice = 0.0 if column.steps is None else 1 / (column.steps * column.values.size)
    return ("engines_disagree",) if gap > 0.15 * column.error + lattice else ()


def _interval(
    ends: intervals.Ends,
    method: str,
    engine: str,
    column: Column,
    plan: InferencePlan,
    rule: str,
    flags: tuple[str, ...] = (),
) -> Interval:
    low, high = column.support
    sampled = engine == "mc"
    return Interval(
        lower=min(max(ends[0], low), high),
        upper=min(max(ends[1], low), high),
        level=plan.level,
        method=method,
        engine=engine,
        seed=plan.seed if sampled else None,
        resamples=plan.resamples if sampled else None,
        rule=rule,
        flags=flags,
    )
