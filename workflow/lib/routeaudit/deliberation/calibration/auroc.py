"""Tie-aware AUROC from counts per distinct score (statistics A12)."""

from __future__ import annotations

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, IntArray, cluster_sum, ratio
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
    if np.issubdtype(score.dtype, np.integer):
        return float(auroc_from_counts(*score_table(score).counts(correct)))
    return float(auroc_from_counts(*_sorted_counts(score, correct)))


def _sorted_counts(score: AnyArray, correct: BoolArray) -> tuple[FloatArray, FloatArray]:
    """(wrong, correct) counts per distinct score in one sort, without coding every row."""
    order = np.argsort(score)
    ranked = score[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])) if ranked.size else order
    right = np.add.reduceat(correct[order], starts, dtype=np.float64) if ranked.size else np.empty(0)
    return np.diff(starts, append=ranked.size) - right, right


def _combine(totals: FloatArray) -> FloatArray:
    half = totals.shape[-1] // 2
    return auroc_from_counts(totals[..., :half], totals[..., half:])


def _all(totals: FloatArray) -> FloatArray:
    return np.asarray(totals.sum(axis=-1))


_TEXT = "P(a correct candidate scores above a wrong one), ties half, over all pairs of candidates"
_UNIT = "valid candidates"
# Above this many cells the per-problem score table (G x K x 2) gives way to the linearised statistic.
_MAX_CELLS = 10_000_000


def auroc_measure(
    table: ScoreTable, correct: BoolArray, cluster: IntArray, n_clusters: int, name: str = "AUROC"
) -> Measure:
    """AUROC whose interval resamples problems (candidate-level intervals ignore clustering)."""
    if n_clusters * table.n_values > _MAX_CELLS:
        return _linearised(table, correct, cluster, n_clusters, name)
    wrong, right = table.cluster_counts(correct, cluster, n_clusters)
    sums = np.concatenate([wrong, right], axis=1)
    return Measure(name, sums, _combine, _all, _UNIT, definition=_TEXT)


def _linearised(
    table: ScoreTable, correct: BoolArray, cluster: IntArray, n_clusters: int, name: str
) -> Measure:
    """AUROC + sum of each problem's structural components (Obuchowski 1997): the interval to first order."""
    wrong, right = table.counts(correct)
    value = float(auroc_from_counts(wrong, right))
    below = (np.cumsum(wrong) - 0.5 * wrong) / max(wrong.sum(), 1)
    above = 1 - (np.cumsum(right) - 0.5 * right) / max(right.sum(), 1)
    share = np.where(
        correct,
        (below[table.code] - value) / max(right.sum(), 1),
        (above[table.code] - value) / max(wrong.sum(), 1),
    )
    count = cluster_sum(np.ones(len(correct)), cluster, n_clusters)
    sums = np.column_stack([cluster_sum(share, cluster, n_clusters), count])
    return Measure(name, sums, lambda t: value + t[..., 0], lambda t: t[..., 1], _UNIT, definition=_TEXT)


def within_fold_auroc(predicted: FloatArray, correct: BoolArray, fold: IntArray) -> float:
    """Mean of the folds' own AUROC: a map that differs by fold leaves it untouched if it is monotone."""
    values = [auroc(predicted[fold == k], correct[fold == k]) for k in np.unique(fold)]
    return float(np.mean(values))
