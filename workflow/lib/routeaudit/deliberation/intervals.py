"""Intervals of measures: one set of resampled problems for every statistic (statistics E1 and section 0)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from routeaudit.deliberation.arrays import FloatArray
from routeaudit.deliberation.measures import Measure
from routeaudit.inference.results import Estimate, Interval, exact_sum
from routeaudit.inference.streams import Stream
from routeaudit.inference.weights import resampled_sums

FEW_CLUSTERS = 40
_COLUMNS_AT_ONCE = 1024
_STEP = 1e-4
_MAX_DROPPED = 0.001


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: B resamples of problems at a level, from a keyed stream."""

    stream: Stream
    resamples: int = 9999
    level: float = 0.95


Labelled = tuple[Measure, str, str]


def estimate_all(labelled: Sequence[Labelled], how: Resampling) -> list[Estimate]:
    """Estimates with intervals of (measure, subject, endpoint); all see the same resampled problems."""
    out: list[Estimate] = []
    for batch in _batches(labelled):
        totals = _resample([measure for measure, _, _ in batch], how)
        out += [_estimate(*one, t, how) for one, t in zip(batch, totals, strict=True)]
    return out


def _batches(labelled: Sequence[Labelled]) -> Iterator[list[Labelled]]:
    batch: list[Labelled] = []
    width = 0
    for one in labelled:
        columns = one[0].sums.shape[1]
        if batch and width + columns > _COLUMNS_AT_ONCE:
            yield batch
            batch, width = [], 0
        batch.append(one)
        width += columns
    if batch:
        yield batch


def _resample(batch: list[Measure], how: Resampling) -> list[FloatArray]:
    """Resampled totals (B, q) of each measure; columns that count are rounded back to integers."""
    if batch[0].n_clusters < 2:
        return [np.empty((0, m.sums.shape[1])) for m in batch]
    columns = np.concatenate([m.sums for m in batch], axis=1)
    totals = resampled_sums(columns, how.resamples, how.stream)
    whole = (columns == np.rint(columns)).all(axis=0)
    totals[:, whole] = np.rint(totals[:, whole])
    ends = np.cumsum([m.sums.shape[1] for m in batch])
    return np.split(totals, ends[:-1], axis=1)


def contributing_clusters(measure: Measure) -> int:
    """Problems that add anything to the measure."""
    return int((measure.sums != 0).any(axis=1).sum())


def linearised_error(measure: Measure) -> float:
    """CR1 standard error: sqrt(G/(G-1) sum_g d_g^2), d_g the derivative of the statistic along problem g.

    For a ratio d_g = (N_g - theta D_g) / D, statistics A6; the derivative is taken by central differences.
    """
    total = measure.sums.sum(axis=0)
    g = contributing_clusters(measure)
    up = measure.combine(total + _STEP * measure.sums)
    down = measure.combine(total - _STEP * measure.sums)
    slope = (up - down) / (2 * _STEP)
    return math.sqrt(g / (g - 1) * float(np.square(slope).sum()))


def _t_interval(measure: Measure, how: Resampling) -> Interval:
    g = contributing_clusters(measure)
    half = float(stats.t.ppf(0.5 + how.level / 2, g - 1)) * linearised_error(measure)
    centre = measure.estimate
    return Interval(
        lower=centre - half,
        upper=centre + half,
        level=how.level,
        method="CR1_t",
        engine="closed_form",
        rule=f"fewer than {FEW_CLUSTERS} problems",
        flags=("zero_variance",) if half == 0 else (),
    )


def _percentile_interval(values: FloatArray, how: Resampling) -> Interval:
    kept = np.sort(values[np.isfinite(values)])
    dropped = 1 - len(kept) / len(values)
    alpha = 1 - how.level
    k = max(round((len(kept) + 1) * alpha / 2), 1)
    flags = (f"dropped_resamples_{dropped:.4f}",) if dropped > _MAX_DROPPED else ()
    return Interval(
        lower=float(kept[k - 1]),
        upper=float(kept[len(kept) - k]),
        level=how.level,
        method="cluster_percentile",
        engine="mc",
        seed=how.stream.seed,
        resamples=how.resamples,
        rule=f"at least {FEW_CLUSTERS} problems",
        flags=flags + (("zero_variance",) if kept[0] == kept[-1] else ()),
    )


def _no_interval(how: Resampling, reason: str) -> Interval:
    nan = float("nan")
    return Interval(lower=nan, upper=nan, level=how.level, method="none", engine="none", reason=reason)


def _interval(measure: Measure, totals: FloatArray, how: Resampling) -> Interval:
    if math.isnan(measure.estimate):
        return _no_interval(how, "estimate_undefined")
    g = contributing_clusters(measure)
    if g < 2:
        return _no_interval(how, "one_cluster")
    if g < FEW_CLUSTERS:
        return _t_interval(measure, how)
    return _percentile_interval(measure.combine(totals), how)


def _estimate(measure: Measure, subject: str, endpoint: str, totals: FloatArray, how: Resampling) -> Estimate:
    value = measure.estimate
    top = float("nan") if measure.numerator is None else measure.numerator
    whole = measure.numerator is not None and float(top).is_integer()
    return Estimate(
        subject=subject,
        endpoint=endpoint,
        metric=measure.name,
        estimate=value,
        numerator=exact_sum(top, whole),
        denominator=round(measure.denominator),
        clusters=contributing_clusters(measure),
        unit=measure.unit,
        interval=_interval(measure, totals, how),
        reason="" if not math.isnan(value) else _undefined(measure),
    )


def _undefined(measure: Measure) -> str:
    return "empty_denominator" if measure.denominator == 0 else "one_class"
