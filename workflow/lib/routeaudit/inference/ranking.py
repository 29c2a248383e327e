"""Ranks of several means over the same tasks: joint rank intervals, and tiers of separated means."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from routeaudit.inference.default_rule import LARGE_T
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.replicates import bootstrap
from routeaudit.inference.streams import digest_arrays
from routeaudit.inference.units import FloatArray, IntArray, Units, reduce_to_units

BoolArray = npt.NDArray[np.bool_]

RESAMPLES = 1_999
"""Joint resamples behind the critical value; the Monte Carlo error of its level is then .005."""

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Ranks (P,), 1 is best: ``rank`` is 1 + the number of larger means, tied means share one.

    ``lower`` and ``upper`` hold, at once for all P and with probability ``level``, every rank that the true
    means allow. ``critical`` is the number of standard errors by which two means must differ to count as
    ordered; infinite where nothing can be ordered.
    """

    rank: IntArray
    lower: IntArray
    upper: IntArray
    critical: float
    level: float


def rank_intervals(
    values: FloatArray, plan: InferencePlan, clusters: IntArray | None = None
) -> RankIntervals:
    """Simultaneous rank intervals of the column means of ``values`` (T, P), all of them known.

    Mogstad, Romano, Shaikh and Wilhelm (2024, Review of Economic Studies 91): where all differences of two
    means lie in joint confidence limits, mean j has a rank between 1 + the number of means that lie above it
    beyond the limits and P - the number that lie below it. The limits are d_jk +- c s_jk with s_jk the CR1
    error of the difference and c from the bootstrap law of max_jk |d*_jk - d_jk| / s_jk, one set of resampled
    units (source clusters where a source repeats) for all columns. That law has normal tails however few the
    units are, so its quantile q is carried to the t law: c is the t_{G-1} quantile of the same tail as q.
    Below 100 units the errors of the pairs vary apart and that tail is a little too large (measured:
    benchmarks/rank_validity.py); Bonferroni's over all pairs is then taken where it is smaller. A difference
    without any spread counts as ordered where its sign-flip p, 2^(1-G), is within the tail.
    """
    units = reduce_to_units(values, clusters)
    means = units.means
    if units.count < 2 or means.size < 2:
        return _unordered(means, plan.level)
    errors = _difference_errors(units)
    stream = plan.stream(plan.digest or digest_arrays(values)).named("ranks")
    drawn = bootstrap(units, RESAMPLES, stream, studentize=False, threads=plan.threads).means - means
    tail = _tail(_largest(drawn, errors), units.count, means.size, plan)
    critical = -float(special.stdtrit(units.count - 1, tail)) if tail > 0 else math.inf
    above = _ordered(means, errors, critical, 2.0 ** (1 - units.count) <= 2 * tail)
    return RankIntervals(
        rank=ranks(means),
        lower=1 + above.sum(axis=0),
        upper=means.size - above.sum(axis=1),
        critical=critical,
        level=plan.level,
    )


def ranks(means: FloatArray) -> IntArray:
    """1 + the number of larger means, (P,); differences within 1e-12 are ties."""
    larger: IntArray = 1 + (means[None, :] - means[:, None] > _ROUNDING).sum(axis=1)
    return larger


def tiers(apart: BoolArray) -> IntArray:
    """Tier of each of P items that come best first; ``apart`` (P, P) says which pairs a test separates.

    A tier begins at the first item that, with all items after it, is separated from every item before it. So
    two items of different tiers are always separated. The converse does not hold, because not being
    separated is not transitive: within a tier neighbouring groups are linked by a pair that is not separated,
    and its best and its worst item may well be.
    """
    count = len(apart)
    place = np.arange(count)
    # The last item that each one is not separated from; an item is never separated from itself.
    reach = np.where(~apart | np.eye(count, dtype=bool), place, -1).max(axis=1, initial=-1)
    begins = np.maximum.accumulate(reach)[:-1] < place[1:]
    numbered: IntArray = np.concatenate([[1], 1 + np.cumsum(begins)])[:count]
    return numbered


def _unordered(means: FloatArray, level: float) -> RankIntervals:
    count = means.size
    return RankIntervals(ranks(means), np.ones(count, np.int64), np.full(count, count), math.inf, level)


def _difference_errors(units: Units) -> FloatArray:
    """CR1 error of each difference of two means, (P, P); exactly 0 where the difference never varies."""
    residuals = units.residuals
    products = residuals.T @ residuals
    own = np.diag(products)
    squares = own[:, None] + own[None, :] - 2 * products
    squares = np.where(squares <= _ROUNDING * (own[:, None] + own[None, :]), 0.0, squares)
    errors: FloatArray = np.sqrt(units.count / (units.count - 1) * squares) / units.n_tasks
    return errors


def _largest(drawn: FloatArray, errors: FloatArray) -> FloatArray:
    """max over pairs of |drawn_j - drawn_k| / error_jk of each resample; ``drawn`` is (B, P)."""
    columns = np.ascontiguousarray(drawn.T)
    with np.errstate(divide="ignore"):
        scale = np.where(errors > 0, 1 / errors, 0.0)
    largest = np.zeros(columns.shape[1])
    for j in range(len(columns) - 1):
        apart = np.abs(columns[j + 1 :] - columns[j])
        apart *= scale[j, j + 1 :, None]
        np.maximum(largest, apart.max(axis=0), out=largest)
    return largest


def _tail(largest: FloatArray, units: int, count: int, plan: InferencePlan) -> float:
    """One-sided tail of one pair at which all pairs together keep the level."""
    place = min(math.ceil(plan.level * (largest.size + 1)), largest.size)
    quantile = float(np.sort(largest)[place - 1]) * math.sqrt(units / (units - 1))
    joint = float(special.ndtr(-quantile))
    return min(joint, plan.alpha / (count * (count - 1))) if units < LARGE_T else joint


def _ordered(means: FloatArray, errors: FloatArray, critical: float, flip: bool) -> BoolArray:
    """Whether j lies above k beyond the limits, (P, P)."""
    gains = means[:, None] - means[None, :]
    if math.isinf(critical):
        return np.zeros(gains.shape, dtype=bool)
    spread = (errors > 0) & (gains > critical * errors)
    ordered: BoolArray = spread | ((errors == 0) & (gains > _ROUNDING) & flip)
    return ordered
