"""One column of task values, summarised: what every interval and test of its mean needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from routeaudit.inference.cornish_fisher import Moments, column_moments
from routeaudit.inference.lattice import bootstrap_law, lattice_steps
from routeaudit.inference.laws import AnalyticLaw, ExactLaw
from routeaudit.inference.plan import Kind
from routeaudit.inference.units import FloatArray, Units


@dataclass(frozen=True, eq=False)
class Column:
    """Task values (T,) of one estimand, the means of its units (G,) and summaries.

    ``support`` is the range that outcomes in [0, 1] allow. ``steps`` is q of the lattice k/q, or None.
    ``informative`` counts non-zero differences; for a rate the smaller of the tasks above 0 and the tasks
    below 1 (statistics.md D).
    """

    values: FloatArray
    unit_means: FloatArray
    kind: Kind
    support: tuple[float, float]
    mean: float
    error: float
    units: int
    clustered: bool
    informative: int
    steps: int | None
    moments: Moments

    @property
    def binary(self) -> bool:
        """Every task value is 0 or 1, or a difference of two such outcomes."""
        return self.steps == 1 and self.support[1] <= 1

    @property
    def wins(self) -> int:
        """Tasks with a positive value."""
        return int((self.values > 0).sum())

    @property
    def losses(self) -> int:
        """Tasks with a negative value."""
        return int((self.values < 0).sum())

    @property
    def acceleration(self) -> float:
        """BCa acceleration from unit influences: sum e^3 / (6 (sum e^2)^1.5); no jackknife needed."""
        return float(self.moments.skewness[0]) / (6 * math.sqrt(self.units))

    def exact_law(self) -> ExactLaw | None:
        """Exact bootstrap law, where values lie on a lattice and units are tasks."""
        if self.steps is None or self.clustered:
            return None
        points = np.rint(self.values * self.steps).astype(np.int64)
        return ExactLaw(bootstrap_law(points), 1 / (self.steps * self.values.size))

    def analytic_law(self) -> AnalyticLaw:
        """Cornish-Fisher law of the linearised mean."""
        return AnalyticLaw(self.moments, 0)


def _informative(values: FloatArray, kind: Kind) -> int:
    nonzero = int(np.count_nonzero(values))
    return nonzero if kind == "difference" else min(nonzero, int((values < 1).sum()))


def summarise(
    values: FloatArray, units: Units, kind: Kind, support: tuple[float, float]
) -> tuple[Column, ...]:
    """Columns of ``values`` (T, q) with their ``units``."""
    errors = units.standard_errors()
    influence = units.residuals * (units.count / units.n_tasks) + units.means
    return tuple(
        Column(
            values=values[:, j],
            unit_means=units.sums[:, j] / units.sizes,
            kind=kind,
            support=support,
            mean=float(units.means[j]),
            error=float(errors[j]),
            units=units.count,
            clustered=units.clustered,
            informative=_informative(values[:, j], kind),
            steps=lattice_steps(values[:, j]),
            moments=column_moments(influence[:, j : j + 1]),
        )
        for j in range(values.shape[1])
    )
