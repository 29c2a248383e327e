"""CRA, HRWP, MCR, PCCA, CTR and the selected-invalid rate (statistics A10)."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, cluster_summer
from routeaudit.deliberation.blocks import Blocks, DenseBlocks, dense_groups
from routeaudit.deliberation.measures import Measure, ratio_measure


@dataclass(frozen=True)
class RoutingSums:
    """Counts per problem cluster, each (G,). Every routing metric is a ratio of two of them."""

    selected: FloatArray
    selected_valid: FloatArray
    selected_correct: FloatArray
    routeable: FloatArray
    possible_hit: FloatArray
    mcr_eligible: FloatArray
    mcr_two_valid: FloatArray
    missed_correct: FloatArray
    mixed: FloatArray
    alignment: FloatArray
    pairs: FloatArray
    concordant: FloatArray
    ties: FloatArray

    def total(self, name: str) -> float:
        return float(getattr(self, name).sum())


def pair_counts(score: AnyArray, correct: BoolArray, wrong: BoolArray) -> tuple[AnyArray, AnyArray]:
    """Correct-against-wrong pairs of each block, arrays (m, k): (correct scores higher, both tie), each (k,).

    Ties are equalities of the score as reported; a rescaled float could break or make them.
    """
    m, k = score.shape
    higher = np.zeros(k, dtype=np.int32)
    tied = np.zeros(k, dtype=np.int32)
    for i in range(m):
        for j in range(i + 1, m):
            first, second = correct[i] & wrong[j], wrong[i] & correct[j]
            above, below = score[i] > score[j], score[i] < score[j]
            higher += (first & above) | (second & below)
            tied += (first | second) & ~(above | below)
    return higher, tied


def _group_counts(group: DenseBlocks) -> dict[str, AnyArray]:
    valid, correct = group.valid, group.correct
    n_valid = valid.sum(axis=0, dtype=np.int32)
    n_correct = correct.sum(axis=0, dtype=np.int32)
    n_wrong = n_valid - n_correct
    valid_pick, hit = group.at_selected(valid), group.at_selected(correct)
    higher, tied = pair_counts(group.score, correct, valid & ~correct)
    pairs = n_correct * n_wrong
    concordant = higher + 0.5 * tied
    return {
        "selected": np.ones(len(group.index)),
        "selected_valid": valid_pick,
        "selected_correct": hit,
        "routeable": n_valid > 0,
        "possible_hit": n_correct > 0,
        "mcr_eligible": valid_pick & (n_valid > 1),
        "mcr_two_valid": n_valid > 1,
        "missed_correct": valid_pick & ~hit & (n_correct > 0),
        "mixed": pairs > 0,
        "alignment": concordant / np.maximum(pairs, 1),
        "pairs": pairs,
        "concordant": concordant,
        "ties": tied,
    }


def routing_sums(blocks: Blocks) -> RoutingSums:
    """One pass over the blocks, reduced to sums per problem cluster."""
    names = [field.name for field in fields(RoutingSums)]
    totals = {name: np.zeros(blocks.n_clusters) for name in names}
    for group in dense_groups(blocks):
        summed = cluster_summer(blocks.cluster[group.index], blocks.n_clusters)
        for name, values in _group_counts(group).items():
            totals[name] += summed(values)
    return RoutingSums(**totals)


_DEFINITIONS = (
    ("CRA", "selected_correct", "selected_valid", "selected-valid blocks", "selected candidate is correct"),
    ("HRWP", "selected_correct", "possible_hit", "possible-hit blocks", "selected correct when one exists"),
    ("MCR", "missed_correct", "mcr_eligible", "eligible blocks", "valid wrong selection over a correct one"),
    (
        "MCR_two_valid",
        "missed_correct",
        "mcr_two_valid",
        "blocks with two valid candidates",
        "MCR over blocks with at least two valid candidates, whatever was selected",
    ),
    ("PCCA", "alignment", "mixed", "mixed blocks", "block-macro, tie-aware correct-above-wrong share"),
    ("PCCA_pair_micro", "concordant", "pairs", "correct-wrong pairs", "the same, every pair weighing 1"),
    ("CTR", "ties", "pairs", "correct-wrong pairs", "pairs whose two scores are equal"),
)


def routing_measures(sums: RoutingSums) -> list[Measure]:
    """The metrics of the paper's table 6 with the companions of A10, in that order."""
    out = [
        ratio_measure(name, getattr(sums, top), getattr(sums, bottom), unit, text)
        for name, top, bottom, unit, text in _DEFINITIONS
    ]
    invalid = sums.selected - sums.selected_valid
    out.append(
        ratio_measure(
            "selected_invalid_rate",
            invalid,
            sums.selected,
            "selected blocks",
            "selected poll has no valid candidate",
        )
    )
    return out
