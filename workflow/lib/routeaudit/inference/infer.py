"""Inference on task means: one call for all columns, one weight matrix, the adaptive default for each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from routeaudit.inference.columns import Column, summarise
from routeaudit.inference.construct import CLOSED_FORM, STUDENTIZED, Replicated, construct, nan_interval
from routeaudit.inference.default_rule import FEW_CLUSTERS, FLAG_CLUSTERS, Choice, choose
from routeaudit.inference.plan import SUPPORT, InferencePlan, Kind
from routeaudit.inference.replicates import Replicates, bootstrap
from routeaudit.inference.results import Interval, PValue, exact_sum
from routeaudit.inference.streams import Stream, digest_arrays
from routeaudit.inference.testing import primary_tests
from routeaudit.inference.units import FloatArray, IntArray, Units, reduce_to_units

_COLUMNS_AT_ONCE = 256
_POWER_FACTOR = 2.8
"""z_.975 + z_.80: the smallest effect found with 80 % power is 2.8 standard errors (statistics.md A8)."""


@dataclass(frozen=True, kw_only=True)
class MeanInference:
    """A mean of task values with its default interval, companions and tests.

    ``error`` is the (cluster-robust) standard error, ``detectable`` the effect found with 80 % power and
    ``informative`` n_eff, the tasks that differ from the trivial value.
    """

    mean: float
    numerator: float | int
    denominator: int
    clusters: int
    error: float
    detectable: float
    informative: int
    interval: Interval
    companions: tuple[Interval, ...]
    p: PValue
    companion_p: tuple[PValue, ...]
    flags: tuple[str, ...]
    reason: str = ""


def infer_means(
    values: FloatArray,
    kind: Kind,
    plan: InferencePlan,
    clusters: IntArray | None = None,
    support: tuple[float, float] | None = None,
) -> tuple[MeanInference, ...]:
    """Default inference for the mean of each column of ``values`` (T, q).

    ``kind`` is "difference" (tested against 0) or "rate" (no test); ``support`` is the range of a task value,
    by default [-1, 1] and [0, 1]. ``clusters`` (T,) holds a source-cluster code per task; clusters are used
    whenever one repeats. Rows must come sorted by task id for results to be independent of row order. T < 2
    or one cluster gives NaN with a reason.
    """
    if values.shape[0] == 0:
        return tuple(_empty(plan) for _ in range(values.shape[1]))
    units = reduce_to_units(values, clusters)
    if units.count < 2:
        return tuple(_single(column, units, plan) for column in values.T)
    stream = plan.stream(plan.digest or digest_arrays(values))
    parts = [slice(start, start + _COLUMNS_AT_ONCE) for start in range(0, values.shape[1], _COLUMNS_AT_ONCE)]
    return tuple(
        found
        for part in parts
        for found in _infer_columns(
            values[:, part], replace(units, sums=units.sums[:, part]), kind, plan, stream, support
        )
    )


def _infer_columns(
    values: FloatArray,
    units: Units,
    kind: Kind,
    plan: InferencePlan,
    stream: Stream,
    support: tuple[float, float] | None,
) -> tuple[MeanInference, ...]:
    columns = summarise(values, units, kind, support or SUPPORT[kind])
    choices = tuple(
        choose(kind=kind, binary=c.binary, clustered=c.clustered, units=c.units, informative=c.informative)
        for c in columns
    )
    replicated = _replicate(columns, choices, units, plan, stream)
    tests = primary_tests(columns, choices, replicated, units, plan, stream)
    return tuple(
        _infer(column, choice, rep, test, plan)
        for column, choice, rep, test in zip(columns, choices, replicated, tests, strict=True)
    )


def _needs(column: Column, choice: Choice, plan: InferencePlan) -> tuple[bool, bool]:
    """Whether Monte Carlo means and Monte Carlo t are needed for this column."""
    if column.error == 0 or plan.engine in ("exact", "analytic"):
        return False, False
    methods = {choice.interval, *choice.companions}
    tested = column.kind == "difference" and choice.p in ("studentized", "cluster_studentized")
    lattice = plan.engine == "auto" and column.steps is not None and not column.clustered
    by_t = tested or not methods.isdisjoint(STUDENTIZED)
    return bool(methods - {*CLOSED_FORM, *STUDENTIZED}) and not lattice, by_t


def _replicate(
    columns: tuple[Column, ...],
    choices: tuple[Choice, ...],
    units: Units,
    plan: InferencePlan,
    stream: Stream,
) -> tuple[Replicated, ...]:
    needs = [_needs(column, choice, plan) for column, choice in zip(columns, choices, strict=True)]
    drawn = [j for j, need in enumerate(needs) if any(need)]
    if not drawn:
        return (Replicated(),) * len(columns)
    part = Units(units.sums[:, drawn], units.sizes, units.n_tasks, units.clustered)
    studentize = any(needs[j][1] for j in drawn)
    found = bootstrap(part, plan.resamples, stream, studentize, plan.threads)
    place = {j: i for i, j in enumerate(drawn)}
    return tuple(_of_column(found, place.get(j), needs[j]) for j in range(len(columns)))


def _of_column(found: Replicates, place: int | None, need: tuple[bool, bool]) -> Replicated:
    if place is None:
        return Replicated()
    means = np.sort(found.means[:, place]) if need[0] else None
    t = np.sort(found.t[:, place]) if need[1] and found.t is not None else None
    return Replicated(means, t)


def _infer(
    column: Column,
    choice: Choice,
    replicated: Replicated,
    tests: tuple[PValue, tuple[PValue, ...]],
    plan: InferencePlan,
) -> MeanInference:
    p, companion_p = tests
    return MeanInference(
        mean=column.mean,
        numerator=exact_sum(float(column.values.sum()), column.binary),
        denominator=column.values.size,
        clusters=column.units,
        error=column.error,
        detectable=_POWER_FACTOR * column.error,
        informative=column.informative,
        interval=construct(choice.interval, column, plan, replicated, choice.rule),
        companions=tuple(construct(name, column, plan, replicated) for name in _companions(column, choice)),
        p=p,
        companion_p=companion_p,
        flags=_flags(column),
    )


def _companions(column: Column, choice: Choice) -> tuple[str, ...]:
    if column.error > 0 or column.clustered or "gaffke" in (choice.interval, *choice.companions):
        return choice.companions
    finite = "clopper_pearson" if column.binary and column.kind == "rate" else "gaffke"
    return tuple(dict.fromkeys((*choice.companions, finite)))


def _flags(column: Column) -> tuple[str, ...]:
    flags = []
    if column.error == 0:
        flags.append("zero_variance")
    if column.clustered and column.units < FLAG_CLUSTERS:
        flags.append("few_clusters")
    if column.clustered and column.units < FEW_CLUSTERS:
        flags.append("t_reference")
    return tuple(flags)


def _empty(plan: InferencePlan) -> MeanInference:
    return _nan(math.nan, 0, 0, 0, "empty_denominator", plan)


def _single(column: FloatArray, units: Units, plan: InferencePlan) -> MeanInference:
    integer = bool(np.all(column == np.rint(column)))
    total = exact_sum(float(column.sum()), integer)
    reason = "one_cluster" if units.clustered else "one_task"
    return _nan(float(column.mean()), total, column.size, units.count, reason, plan)


def _nan(
    mean: float, total: float | int, denominator: int, clusters: int, reason: str, plan: InferencePlan
) -> MeanInference:
    return MeanInference(
        mean=mean,
        numerator=total,
        denominator=denominator,
        clusters=clusters,
        error=math.nan,
        detectable=math.nan,
        informative=0,
        interval=nan_interval(reason, "none", plan),
        companions=(),
        p=PValue(p=math.nan, method="none", engine="none", reason=reason),
        companion_p=(),
        flags=(reason,),
        reason=reason,
    )
