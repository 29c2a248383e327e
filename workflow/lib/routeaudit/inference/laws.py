"""The bootstrap law of a mean under the three engines, behind one protocol: quantile and mid-probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special

from routeaudit.inference.cornish_fisher import Moments, bootstrap_quantile
from routeaudit.inference.lattice import LatticeLaw
from routeaudit.inference.units import FloatArray


class BootstrapLaw(Protocol):
    """Law of the resampled mean."""

    @property
    def engine(self) -> str:
        """exact, analytic or mc."""
        ...

    def quantile(self, level: float) -> float:
        """Quantile of the resampled mean."""
        ...

    def mid_probability(self, value: float) -> float:
        """P(mean < value) + P(mean = value) / 2."""
        ...


@dataclass(frozen=True, eq=False)
class ExactLaw:
    """Lattice law of the total; ``unit`` is the mean that one lattice step is worth, 1 / (q T)."""

    law: LatticeLaw
    unit: float
    engine: str = "exact"

    def quantile(self, level: float) -> float:
        """Smallest lattice mean with cdf >= level."""
        return self.law.quantile(level) * self.unit

    def mid_probability(self, value: float) -> float:
        """Half weight on the lattice point nearest to ``value``."""
        point = round(value / self.unit)
        return 0.5 * (self.law.probability_at_most(point) + self.law.probability_at_most(point - 1))


@dataclass(frozen=True, eq=False)
class AnalyticLaw:
    """Cornish-Fisher law of one column's mean."""

    moments: Moments
    column: int
    engine: str = "analytic"

    def quantile(self, level: float) -> float:
        """Third-order Cornish-Fisher quantile."""
        return float(bootstrap_quantile(self.moments, level)[self.column])

    def mid_probability(self, value: float) -> float:
        """Edgeworth probability with the skewness term; exact enough at and near the mean, where BCa asks."""
        m = self.moments
        z = (value - float(m.mean[self.column])) / math.sqrt(float(m.m2[self.column]) / m.count)
        skew = float(m.skewness[self.column]) / math.sqrt(m.count)
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return float(special.ndtr(z)) - skew * (z * z - 1) * density / 6


@dataclass(frozen=True, eq=False)
class EmpiricalLaw:
    """Sorted Monte Carlo replicates; quantiles are order statistics (B + 1) level, never interpolated.

    Davison and Hinkley (1997), equation 5.6. A rank that is not an integer moves outwards.
    """

    replicates: FloatArray
    engine: str = "mc"

    def quantile(self, level: float) -> float:
        """Order statistic of rank (B + 1) * level, rounded away from the centre."""
        count = self.replicates.size
        rank = (count + 1) * level
        outward = math.floor(rank + 1e-9) if level < 0.5 else math.ceil(rank - 1e-9)
        return float(self.replicates[min(max(outward, 1), count) - 1])

    def mid_probability(self, value: float) -> float:
        """Share below plus half the share within 1e-12 of ``value``."""
        below, through = np.searchsorted(self.replicates, [value - 1e-12, value + 1e-12])
        return float(below + through) / (2 * self.replicates.size)
