"""Public success = availability x routing x commitment, plus what speech rescues.

With A = a correct candidate exists, R = it is selected, K = the selected correct answer is also spoken and
S = a wrong selection is spoken right: P(spoken correct) = A R K + (1 - A R) S, exactly.
"""

from __future__ import annotations

import numpy as np

from routeaudit.deliberation.arrays import BoolArray, FloatArray, cluster_sum, ratio
from routeaudit.deliberation.commitment.metrics import Pairs
from routeaudit.deliberation.measures import Measure, ratio_measure


def _product(totals: FloatArray) -> FloatArray:
    """A R K from totals (..., 4): pairs, possible, polled correct, kept."""
    return (
        ratio(totals[..., 1], totals[..., 0])
        * ratio(totals[..., 2], totals[..., 1])
        * ratio(totals[..., 3], totals[..., 2])
    )


def _pairs(totals: FloatArray) -> FloatArray:
    return totals[..., 0]


def _kept(totals: FloatArray) -> FloatArray:
    return totals[..., 3]


def decomposition_measures(pairs: Pairs, possible: BoolArray) -> list[Measure]:
    """The factors over valid pairs; ``possible`` (N,) says that the pair's block had a correct candidate."""

    def count(values: BoolArray) -> FloatArray:
        return cluster_sum(values, pairs.cluster, pairs.n_clusters)

    q, r = pairs.polled, pairs.spoken
    every, hit, kept = count(np.ones_like(q)), count(q), count(q & r)
    can = count(possible)
    unit = "valid pairs"
    return [
        ratio_measure("public_success", count(r), every, unit, "spoken answer correct"),
        ratio_measure("availability", can, every, unit, "a correct candidate exists in the block"),
        ratio_measure("routing", hit, can, "pairs whose block has a correct candidate", "it is selected"),
        ratio_measure("commitment", kept, hit, "pairs with a correct selection", "it is also spoken"),
        ratio_measure("rescue", count(~q & r), every - hit, "pairs with a wrong selection", "spoken right"),
        Measure(
            name="availability_x_routing_x_commitment",
            sums=np.column_stack([every, can, hit, kept]),
            combine=_product,
            below=_pairs,
            unit=unit,
            above=_kept,
            definition="share of pairs where all three hold",
        ),
    ]
