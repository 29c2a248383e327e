"""A learned router: P(candidate correct) from what the poll stage shows, cross-fitted by problem (A11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from routeaudit.deliberation.arrays import AnyArray, FloatArray, IntArray
from routeaudit.deliberation.blocks import Blocks, size_groups


@dataclass(frozen=True)
class PollContext:
    """What a router may know of each poll besides its score, all (n,).

    Neither the label nor the tier belongs here: a tier may have been derived from outcomes.
    """

    agent: IntArray
    round: IntArray
    turn: IntArray
    answer_length: IntArray


def _block_features(score: AnyArray, valid: AnyArray, answer: AnyArray | None) -> list[FloatArray]:
    finite = np.where(np.isfinite(score), score, 0.0).astype(np.float64)
    above = sum((score > score[j]).astype(np.float64) for j in range(len(score)))
    tied = sum((score == score[j]).astype(np.float64) for j in range(len(score)))
    best = np.where(valid, finite, -np.inf).max(axis=0)
    gap = np.where(np.isfinite(best), best, 0.0) - finite
    rest = np.zeros_like(finite)
    if answer is not None:
        rest = np.asarray(sum((answer == answer[j]) & valid[j] for j in range(len(score))), np.float64)
    n_valid = np.broadcast_to(valid.sum(axis=0), score.shape).astype(np.float64)
    return [finite, np.asarray(above), np.asarray(tied), gap, rest, n_valid]


def poll_features(blocks: Blocks, context: PollContext) -> FloatArray:
    """Feature matrix (n, p): score, rank, ties, gap, size of the answer cluster, agent, time, length."""
    n = len(blocks.score)
    within = np.zeros((n, 6))
    for _, cut in size_groups(blocks.offsets):
        rows = cut(np.arange(n))
        answer = None if blocks.answer is None else cut(blocks.answer)
        columns = _block_features(cut(blocks.score), cut(blocks.valid), answer)
        within[rows] = np.stack(columns, axis=-1)
    agents = (context.agent[:, None] == np.unique(context.agent)[None, 1:]).astype(np.float64)
    rest = np.column_stack([context.round, context.turn, np.log1p(context.answer_length)])
    return np.hstack([within, agents, rest.astype(np.float64)])


def cross_fitted_probability(features: FloatArray, blocks: Blocks, fold: IntArray) -> tuple[FloatArray, str]:
    """Held-out P(correct) of every valid candidate, (n,), with a reason if a training fold had one class.

    ``fold`` is per problem cluster, (G,); a problem's probability never comes from its own labels.
    """
    row_fold = fold[blocks.cluster[blocks.block_of_row()]]
    predicted = np.full(len(features), -np.inf)
    for k in np.unique(fold):
        training = blocks.valid & (row_fold != k)
        labels = blocks.correct[training]
        if labels.size == 0 or labels.all() or not labels.any():
            return predicted, "one_class"
        model = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky"))
        model.fit(features[training], labels)
        held_out = blocks.valid & (row_fold == k)
        if held_out.any():
            predicted[held_out] = model.predict_proba(features[held_out])[:, 1]
    return predicted, ""
