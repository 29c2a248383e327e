"""Every construction of the interval of one mean side by side, to see how much the default choice matters."""

from __future__ import annotations

import numpy as np

from routeaudit.inference.columns import summarise
from routeaudit.inference.construct import METHODS, Replicated, construct
from routeaudit.inference.plan import SUPPORT, InferencePlan, Kind
from routeaudit.inference.replicates import bootstrap
from routeaudit.inference.results import Interval
from routeaudit.inference.streams import digest_arrays
from routeaudit.inference.units import FloatArray, IntArray, reduce_to_units


def all_intervals(
    values: FloatArray, kind: Kind, plan: InferencePlan, clusters: IntArray | None = None
) -> dict[str, Interval]:
    """Intervals of the mean of ``values`` (T,), T >= 2 in at least two units, by method name.

    A construction that does not apply (a binomial interval of graded outcomes) is NaN with its reason; one
    that is unstable falls back and says so in its flags. Not a menu: the contract's default is what counts.
    """
    units = reduce_to_units(values[:, None], clusters)
    column = summarise(values[:, None], units, kind, SUPPORT[kind])[0]
    drawn = Replicated()
    if column.error > 0:
        stream = plan.stream(digest_arrays(values))
        found = bootstrap(units, plan.resamples, stream, threads=plan.threads)
        t = None if found.t is None else np.sort(found.t[:, 0])
        drawn = Replicated(np.sort(found.means[:, 0]), t)
    return {method: construct(method, column, plan, drawn) for method in METHODS}
