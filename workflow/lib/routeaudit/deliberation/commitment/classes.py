"""Where divergent answers come from: primary classes by precedence and the overlapping flags (A16)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import BoolArray, cluster_sum
from routeaudit.deliberation.commitment.metrics import Pairs
from routeaudit.deliberation.measures import Measure, difference_measure, ratio_measure

PRECEDENCE = ("self-revert", "incumbent-pull", "peer-echo", "novel")


@dataclass(frozen=True)
class MatchFlags:
    """Per pair (N,): the spoken answer equals the speaker's own earlier public answer, the system incumbent,
    any peer's earlier public answer; all three seen before the speak call."""

    own: BoolArray
    incumbent: BoolArray
    peer: BoolArray

    def columns(self) -> dict[str, BoolArray]:
        none = ~(self.own | self.incumbent | self.peer)
        return dict(zip(PRECEDENCE, (self.own, self.incumbent, self.peer, none), strict=True))


def primary_classes(flags: MatchFlags) -> dict[str, BoolArray]:
    """Each pair in the first class that holds: self-revert, incumbent-pull, peer-echo, novel."""
    taken = np.zeros(len(flags.own), dtype=bool)
    out: dict[str, BoolArray] = {}
    for name, holds in flags.columns().items():
        out[name] = holds & ~taken
        taken |= holds
    return out


def class_measures(pairs: Pairs, classes: dict[str, BoolArray], kind: str) -> list[Measure]:
    """Share of the divergent pairs and correctness shift (spoken - polled) of each class or flag."""
    divergent = pairs.divergent
    total = cluster_sum(divergent, pairs.cluster, pairs.n_clusters)
    out: list[Measure] = []
    for name, holds in classes.items():
        member = pairs.where(holds & divergent)
        count = cluster_sum(np.ones_like(member.polled), member.cluster, pairs.n_clusters)
        spoken = cluster_sum(member.spoken, member.cluster, pairs.n_clusters)
        polled = cluster_sum(member.polled, member.cluster, pairs.n_clusters)
        out.append(ratio_measure(f"{kind}_share:{name}", count, total, "divergent pairs"))
        out.append(difference_measure(f"{kind}_shift:{name}", spoken, polled, count, f"{name} pairs"))
    return out
