"""Tie-aware AUROC from counts per distinct score (statistics A12)."""

from __future__ import annotations

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, IntArray, ratio
from routeaudit.deliberation.calibration.scores import ScoreTable, score_table
from routeaudit.deliberation.measures import Measure


def auroc_from_counts(wrong: FloatArray, correct: FloatArray) -> FloatArray:
    """P(correct scored above wrong) + 1/2 P(tie) from counts (..., K) in increasing score order: (...).

    NaN where one class is empty.
    """
    below = np.cumsum(wrong, axis=-1) - 0.5 * wrong
    wins = np.einsum("...k,...k->...", correct, below)
    return ratio(wins, wrong.sum(axis=-1) * correct.sum(axis=-1))


def auroc(score: AnyArray, correct: BoolArray) -> float:
    """AUROC of scores (n,) for labels (n,)."""
    wrong, right = score_table(score).counts(correct)
    return float(auroc_from_counts(wrong, right))


def _combine(totals: FloatArray) -> FloatArray:
    half = totals.shape[-1] // 2
    return auroc_from_counts(totals[..., :half], totals[..., half:])


def auroc_measure(
    table: ScoreTable, correct: BoolArray, cluster: IntArray, n_clusters: int, name: str = "AUROC"
) -> Measure:
    """AUROC whose interval resamples problems (candidate-level intervals ignore clustering)."""
    wrong, right = table.cluster_counts(correct, cluster, n_clusters)
    return Measure(
        name=name,
        sums=np.concatenate([wrong, right], axis=1),
        combine=_combine,
        unit="valid candidates",
        denominator=float(len(correct)),
        definition="P(a correct candidate scores above a wrong one), ties half, over all pairs of candidates",
    )


def within_fold_auroc(predicted: FloatArray, correct: BoolArray, fold: IntArray) -> float:
    """Mean of the folds' own AUROC: a map that differs by fold leaves it untouched if it is monotone."""
    values = [auroc(predicted[fold == k], correct[fold == k]) for k in np.unique(fold)]
    return float(np.mean(values))
