"""Expected success of other routing rules on the same blocks, in closed form over ties (statistics A11).

Nothing is simulated: where a rule leaves a tie, the block contributes the mean over the tied choices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    cluster_sum,
    ratio,
)
from routeaudit.deliberation.blocks import Blocks, DenseBlocks, dense_groups, size_groups
from routeaudit.deliberation.measures import Measure, difference_measure, ratio_measure

RUNTIME = "runtime_argmax"
ORACLE = "oracle"
# Sums of decimal scores (0.1 + 0.2 against 0.3) tie when they agree to this share of the largest sum.
_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class RuleSuccess:
    """Expected success per block (NB,) of one rule, with the blocks that count (``routeable``)."""

    rule: str
    success: FloatArray
    routeable: BoolArray
    definition: str


def _mean_over(chosen: BoolArray, correct: BoolArray) -> FloatArray:
    return ratio((chosen & correct).sum(axis=0), chosen.sum(axis=0))


def _top_valid(score: AnyArray, valid: BoolArray) -> BoolArray:
    ranked = np.where(valid, score, -np.inf)
    return np.asarray(valid & (ranked == ranked.max(axis=0)))


def _cluster_totals(group: DenseBlocks, weight: AnyArray) -> AnyArray:
    """For each candidate the summed weight of the valid candidates that give the same answer: (m, k)."""
    assert group.answer is not None
    weight = np.where(group.valid, weight, 0)
    totals = np.zeros(weight.shape, dtype=np.result_type(weight, np.int64))
    for j in range(len(weight)):
        totals += (group.answer == group.answer[j]) * weight[j]
    return totals


def _largest_cluster(group: DenseBlocks, weight: AnyArray) -> AnyArray:
    """Success when the heaviest answer cluster wins; tied clusters share, a cluster counts its mean label."""
    size = _cluster_totals(group, np.ones_like(group.valid, dtype=np.int64))
    total = np.where(group.valid, _cluster_totals(group, weight), -np.inf)
    best = total.max(axis=0)
    slack = _SUM_TOLERANCE * np.maximum(np.abs(best), 1.0)
    top = group.valid & (total >= best - np.where(np.isfinite(slack), slack, 0.0))
    share = top / np.maximum(size, 1)
    return ratio((share * group.correct).sum(axis=0), share.sum(axis=0))


def _fixed_rules(group: DenseBlocks) -> dict[str, AnyArray]:
    rules: dict[str, AnyArray]
    valid, correct = group.valid, group.correct
    top_of_all = group.score == group.score.max(axis=0)
    rules = {
        RUNTIME: group.at_selected(correct).astype(np.float64),
        "top_confidence_tie_random": _mean_over(_top_valid(group.score, valid), correct),
        "top_confidence_tie_random_all_polls": _mean_over(top_of_all, correct),
        "random_valid": _mean_over(valid, correct),
    }
    if group.answer is not None:
        finite = np.where(valid, group.score, 0)
        rules["majority_vote"] = _largest_cluster(group, np.ones_like(valid, dtype=np.int64))
        rules["confidence_weighted_vote"] = _largest_cluster(group, finite)
    rules[ORACLE] = np.asarray(correct.any(axis=0), dtype=np.float64)
    return rules


_TEXTS = {
    RUNTIME: "the logged selection; an invalid selection scores 0",
    "top_confidence_tie_random": "uniform over the top-scored valid candidates",
    "top_confidence_tie_random_all_polls": "uniform over the top-scored polls; an invalid one scores 0",
    "random_valid": "uniform over the valid candidates",
    "majority_vote": "largest cluster of equal answers among the valid, ties uniform",
    "confidence_weighted_vote": "answer cluster with the largest summed score, ties uniform",
    ORACLE: "a correct valid candidate exists",
}


def routeable_blocks(blocks: Blocks) -> BoolArray:
    """Blocks with at least one valid candidate, (NB,)."""
    padded = np.concatenate([[0], np.cumsum(blocks.valid)])
    return np.asarray(np.diff(padded[blocks.offsets]) > 0)


def fixed_rules(blocks: Blocks) -> list[RuleSuccess]:
    """Every rule that needs no fitting. The two answer-cluster rules are absent when answers are unknown."""
    routeable = routeable_blocks(blocks)
    names = [n for n in _TEXTS if blocks.answer is not None or not n.endswith("_vote")]
    success = {name: np.zeros(blocks.n_blocks) for name in names}
    for group in dense_groups(blocks):
        for name, values in _fixed_rules(group).items():
            success[name][group.index] = values
    return [RuleSuccess(n, np.where(routeable, success[n], 0.0), routeable, _TEXTS[n]) for n in names]


def top_predicted(rule: str, blocks: Blocks, predicted: FloatArray, definition: str) -> RuleSuccess:
    """The rule that selects the valid candidate with the highest ``predicted`` value (n,), ties uniform."""
    routeable = routeable_blocks(blocks)
    success = np.zeros(blocks.n_blocks)
    for index, cut in size_groups(blocks.offsets):
        chosen = _top_valid(cut(predicted), cut(blocks.valid))
        success[index] = _mean_over(chosen, cut(blocks.correct))
    return RuleSuccess(rule, np.where(routeable, success, 0.0), routeable, definition)


def success_measures(rules: list[RuleSuccess], cluster: IntArray, n_clusters: int) -> list[Measure]:
    """Success of every rule and its paired gap to the oracle, over the all-routeable blocks."""
    unit = "all-routeable blocks"
    sums = {r.rule: cluster_sum(r.success, cluster, n_clusters) for r in rules}
    count = cluster_sum(rules[0].routeable, cluster, n_clusters)
    out = [ratio_measure(r.rule, sums[r.rule], count, unit, r.definition) for r in rules]
    for r in rules:
        if r.rule != ORACLE:
            text = f"oracle minus {r.rule}, same blocks"
            out.append(difference_measure(f"gap_{r.rule}", sums[ORACLE], sums[r.rule], count, unit, text))
    return out


def paired_gaps(
    rules: list[RuleSuccess], reference: str, cluster: IntArray, n_clusters: int
) -> list[Measure]:
    """Each rule minus ``reference`` over the same blocks (the raw argmax against random-valid, say)."""
    sums = {r.rule: cluster_sum(r.success, cluster, n_clusters) for r in rules}
    count = cluster_sum(rules[0].routeable, cluster, n_clusters)
    return [
        difference_measure(
            f"{r.rule}_minus_{reference}",
            sums[r.rule],
            sums[reference],
            count,
            "all-routeable blocks",
            "paired by block",
        )
        for r in rules
        if r.rule not in (reference, ORACLE)
    ]
