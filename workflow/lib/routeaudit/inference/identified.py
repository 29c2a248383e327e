"""Confidence interval of an interval-identified mean (Imbens and Manski 2004)."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from routeaudit.inference.construct import nan_interval
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Interval
from routeaudit.inference.units import FloatArray, IntArray, reduce_to_units


def imbens_manski(
    lower: FloatArray,
    upper: FloatArray,
    plan: InferencePlan,
    clusters: IntArray | None = None,
    support: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Interval for the mean known to lie in [mean(lower), mean(upper)]; per-task bounds (T,) each.

    The critical value falls from z_{1-a/2} at point identification to z_{1-a} for wide bounds. Standard
    errors are cluster-robust where source ids repeat.
    """
    units = reduce_to_units(np.stack([lower, upper], axis=1), clusters)
    if units.count < 2:
        return nan_interval("one_cluster" if units.clustered else "one_task", "imbens_manski", plan)
    low, high = (float(mean) for mean in units.means)
    low_error, high_error = (float(error) for error in units.standard_errors())
    c = _critical_value(high - low, max(low_error, high_error), plan.level)
    return Interval(
        lower=max(support[0], low - c * low_error),
        upper=min(support[1], high + c * high_error),
        level=plan.level,
        method="imbens_manski",
        engine="closed_form",
        rule="interval-identified mean",
    )


def _critical_value(width: float, error: float, level: float) -> float:
    if error == 0:
        return 0.0
    ratio = width / error
    point, wide = float(special.ndtri((1 + level) / 2)), float(special.ndtri(level))

    def excess(c: float) -> float:
        return float(special.ndtr(c + ratio) - special.ndtr(-c)) - level

    if excess(wide) >= 0 or not math.isfinite(ratio):
        return wide
    # Its import takes a fifth of a second, which every scored study would pay for bounds that few have.
    from scipy.optimize import brentq

    return float(brentq(excess, wide, point + 1e-9))
