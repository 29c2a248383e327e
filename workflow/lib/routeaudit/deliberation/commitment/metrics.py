"""Poll-speak divergence and its effect on correctness (statistics A15)."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from routeaudit.deliberation.arrays import BoolArray, FloatArray, IntArray, cluster_sum
from routeaudit.deliberation.measures import Measure, difference_measure, ratio_measure


@dataclass(frozen=True)
class Pairs:
    """Valid selected poll-speak pairs, N rows.

    polled, spoken : (N,) correctness of the polled and of the publicly spoken answer; divergent : (N,)
    """

    polled: BoolArray
    spoken: BoolArray
    divergent: BoolArray
    cluster: IntArray
    n_clusters: int

    def where(self, keep: BoolArray) -> Pairs:
        """The pairs of a subset; clusters keep their codes."""
        return Pairs(
            self.polled[keep], self.spoken[keep], self.divergent[keep], self.cluster[keep], self.n_clusters
        )

    def relabelled(self, divergent: BoolArray) -> Pairs:
        """The same pairs under another judge's divergence labels."""
        return Pairs(self.polled, self.spoken, divergent, self.cluster, self.n_clusters)


@dataclass(frozen=True)
class CommitmentSums:
    """Counts per problem cluster, each (G,)."""

    pairs: FloatArray
    divergent: FloatArray
    improved: FloatArray
    degraded: FloatArray
    polled_correct: FloatArray
    spoken_correct: FloatArray
    kept_correct: FloatArray
    rescued: FloatArray
    incoherent: FloatArray

    def total(self, name: str) -> int:
        return int(getattr(self, name).sum())


def commitment_sums(pairs: Pairs) -> CommitmentSums:
    """Sums of every count that a commitment metric needs."""
    q, r, d = pairs.polled, pairs.spoken, pairs.divergent
    counted = {
        "pairs": np.ones_like(q),
        "divergent": d,
        "improved": d & ~q & r,
        "degraded": d & q & ~r,
        "polled_correct": q,
        "spoken_correct": r,
        "kept_correct": q & r,
        "rescued": ~q & r,
        "incoherent": ~d & (q != r),
    }
    sums = {name: cluster_sum(values, pairs.cluster, pairs.n_clusters) for name, values in counted.items()}
    return CommitmentSums(**{field.name: sums[field.name] for field in fields(CommitmentSums)})


def commitment_measures(sums: CommitmentSums) -> list[Measure]:
    """PSDR, PSIR, PSDRg and NPCS, conditional on divergence and unconditional, with the coherence count.

    ``NPCS_all_pairs`` is mean(spoken) - mean(polled); it equals ``NPCS`` when no pair is incoherent, that is
    when no pair judged equivalent changes its correctness.
    """
    s, every, only = sums, "valid pairs", "divergent pairs"
    return [
        ratio_measure("PSDR", s.divergent, s.pairs, every, "spoken answer differs from the polled one"),
        ratio_measure("PSIR", s.improved, s.divergent, only, "wrong poll, correct speech"),
        ratio_measure("PSDRg", s.degraded, s.divergent, only, "correct poll, wrong speech"),
        difference_measure("NPCS_divergent", s.improved, s.degraded, s.divergent, only, "PSIR - PSDRg"),
        ratio_measure("PSIR_unconditional", s.improved, s.pairs, every, "improvements per pair"),
        ratio_measure("PSDRg_unconditional", s.degraded, s.pairs, every, "degradations per pair"),
        difference_measure("NPCS", s.improved, s.degraded, s.pairs, every, "net correctness shift per pair"),
        difference_measure(
            "NPCS_all_pairs", s.spoken_correct, s.polled_correct, s.pairs, every, "mean spoken - mean polled"
        ),
        ratio_measure(
            "incoherent_rate", s.incoherent, s.pairs, every, "equivalent pair, different correctness"
        ),
    ]
