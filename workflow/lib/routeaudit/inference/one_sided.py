"""One-sided confidence bounds of a mean in [0, 1], for criteria."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from routeaudit.inference import binomial
from routeaudit.inference.default_rule import LARGE_T
from routeaudit.inference.gaffke import gaffke_bounds
from routeaudit.inference.units import FloatArray, IntArray, reduce_to_units


@dataclass(frozen=True)
class OneSided:
    """Lower and upper bound, each of its own one-sided level; NaN with a reason where there is none."""

    lower: float
    upper: float
    method: str
    reason: str = ""


def one_sided_bounds(values: FloatArray, level: float, clusters: IntArray | None = None) -> OneSided:
    """Bounds of the mean of ``values`` (T,) in [0, 1].

    Repeated source ids: CR1 with t_{G-1}. Binary: Clopper-Pearson. Below 100 tasks: Gaffke (finite-sample).
    Else t, whose upper end never goes below the bound that zero observations would give.
    """
    units = reduce_to_units(values[:, None], clusters)
    if units.count < 2:
        return OneSided(math.nan, math.nan, "none", "one_cluster" if units.clustered else "one_task")
    mean, error = float(units.means[0]), float(units.standard_errors()[0])
    half = float(special.stdtrit(units.count - 1, level)) * error
    if units.clustered:
        return OneSided(max(0.0, mean - half), min(1.0, mean + half), "cluster_t")
    if np.all((values == 0) | (values == 1)):
        lower, upper = binomial.one_sided_bounds(round(float(values.sum())), values.size, level)
        return OneSided(lower, upper, "clopper_pearson")
    if values.size < LARGE_T:
        return OneSided(*gaffke_bounds(values, level), "gaffke")
    floor = 1 - (1 - level) ** (1 / values.size)
    return OneSided(max(0.0, mean - half), min(1.0, max(mean + half, floor)), "student_t")
