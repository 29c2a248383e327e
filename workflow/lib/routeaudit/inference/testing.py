"""Which p-value a column gets, and by which engine: the default test, with a tail that Holm can use."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from routeaudit.inference import cornish_fisher, pvalues
from routeaudit.inference.binomial import mcnemar
from routeaudit.inference.columns import Column
from routeaudit.inference.construct import Replicated
from routeaudit.inference.default_rule import Choice
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import PValue
from routeaudit.inference.streams import Stream
from routeaudit.inference.studentized_tail import studentized_tail
from routeaudit.inference.units import FloatArray, Units

_STUDENTIZED = ("studentized", "cluster_studentized")
_ENOUGH_EXCEEDANCES = 20
_EDGEWORTH_FROM = 0.01
"""An Edgeworth p has an absolute error of order 1 / G, so a small one may even be negative."""
_Tests = tuple[PValue, tuple[PValue, ...]]


def primary_tests(
    columns: tuple[Column, ...],
    choices: tuple[Choice, ...],
    replicated: tuple[Replicated, ...],
    units: Units,
    plan: InferencePlan,
    stream: Stream,
) -> tuple[_Tests, ...]:
    """The deciding p and its companions of each column; a rate is not tested."""
    if columns and columns[0].kind == "rate":
        untested = PValue(p=math.nan, method="none", engine="none", reason="no_null_for_a_rate")
        return ((untested, ()),) * len(columns)
    flips = pvalues.sign_flips(units.sums, plan.resamples, stream)
    tails = _tails(columns, choices, replicated, units, plan)
    return tuple(
        _tests(column, choice, found, flip, tails.get(j), plan)
        for j, (column, choice, found, flip) in enumerate(
            zip(columns, choices, replicated, flips, strict=True)
        )
    )


def _tails(
    columns: tuple[Column, ...],
    choices: tuple[Choice, ...],
    replicated: tuple[Replicated, ...],
    units: Units,
    plan: InferencePlan,
) -> dict[int, float]:
    """Saddlepoint p of the columns whose own engine cannot resolve it."""
    wanted = [
        j
        for j, (column, choice, found) in enumerate(zip(columns, choices, replicated, strict=True))
        if choice.p in _STUDENTIZED and column.error > 0 and _unresolved(column, found, plan)
    ]
    if not wanted:
        return {}
    t = np.array([columns[j].mean / columns[j].error for j in wanted])
    found = studentized_tail(units.residuals[:, wanted], t)
    if units.clustered:
        # Sources of unequal size make the law wider than the saddlepoint of their sums: measured down to a
        # quarter of brute force at 1e-5 with 80 sources of 1 to 5 tasks.
        found = np.maximum(found, [pvalues.student_t_p(float(one), units.count - 1) for one in t])
    least = [_seen(replicated[j].t, float(one)) for j, one in zip(wanted, t, strict=True)]
    return dict(zip(wanted, map(float, np.maximum(found, least)), strict=True))


def _seen(t_replicates: FloatArray | None, t: float) -> float:
    """Lower 99 % limit of the p that the replicates show: with many equal values the law has atoms, which no
    saddlepoint sees."""
    if t_replicates is None:
        return 0.0
    count = pvalues.exceedances(t_replicates, t)
    return float(special.betaincinv(count, t_replicates.size - count + 1, 0.01)) if count else 0.0


def _unresolved(column: Column, found: Replicated, plan: InferencePlan) -> bool:
    if plan.tail == "monte_carlo":
        return False
    if plan.engine == "analytic":
        return float(cornish_fisher.studentized_p(column.moments)[0]) < _EDGEWORTH_FROM
    if plan.resolved or found.t is None:
        return False
    return pvalues.exceedances(found.t, column.mean / column.error) < _ENOUGH_EXCEEDANCES


def _tests(
    column: Column,
    choice: Choice,
    replicated: Replicated,
    flip: PValue,
    tail: float | None,
    plan: InferencePlan,
) -> _Tests:
    if column.error == 0:
        p = 1.0 if column.mean == 0 else flip.p
        return PValue(p=p, method="zero_variance", engine="exact"), (flip,)
    if choice.p == "mcnemar":
        return PValue(p=mcnemar(column.wins, column.losses), method="mcnemar", engine="exact"), (flip,)
    t = column.mean / column.error
    reference = PValue(p=pvalues.student_t_p(t, column.units - 1), method="student_t", engine="closed_form")
    if choice.p == "cluster_t":
        return PValue(p=reference.p, method="cluster_t", engine="closed_form"), (flip,)
    return _studentized(column, choice, replicated, t, tail, plan), (reference, flip)


def _studentized(
    column: Column, choice: Choice, replicated: Replicated, t: float, tail: float | None, plan: InferencePlan
) -> PValue:
    if tail is not None:
        return PValue(p=tail, method=choice.p, engine="saddlepoint")
    if plan.engine == "analytic":
        p = float(cornish_fisher.studentized_p(column.moments)[0])
        return PValue(p=p, method=choice.p, engine="analytic")
    if replicated.t is None:
        return PValue(p=math.nan, method=choice.p, engine="none", reason="needs_mc")
    p = pvalues.studentized_p(replicated.t, t)
    return PValue(p=p, method=choice.p, engine="mc", seed=plan.seed, resamples=plan.resamples)
