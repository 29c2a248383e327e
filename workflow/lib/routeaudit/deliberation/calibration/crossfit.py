"""Cross-fitted recalibration: the map that scores a problem never saw one of its labels (A14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import FloatArray, IntArray
from routeaudit.deliberation.calibration.maps import FITTERS, CalibrationMap
from routeaudit.deliberation.calibration.scores import Candidates, score_table


@dataclass(frozen=True)
class CrossFit:
    """Held-out predictions of one calibrator.

    predicted : (n,), NaN in folds whose map could not be fitted; parameters : one dictionary per fold
    reason : why predictions are missing, or ""
    """

    method: str
    predicted: FloatArray
    parameters: tuple[dict[str, float], ...]
    reason: str = ""


def _fit(method: str, data: Candidates, rows: IntArray) -> CalibrationMap | None:
    correct = data.correct[rows]
    if correct.size == 0 or correct.all() or not correct.any():
        return None
    table = score_table(data.probability[rows])
    wrong, right = table.counts(correct)
    return FITTERS[method](table.values, wrong, right)


def _groups(data: Candidates, by_agent: bool) -> list[IntArray]:
    if not by_agent:
        return [np.arange(len(data.correct))]
    return [np.flatnonzero(data.agent == agent) for agent in np.unique(data.agent)]


def cross_fit(method: str, data: Candidates, fold: IntArray, by_agent: bool = False) -> CrossFit:
    """Fit ``method`` on the other folds and predict each fold; ``fold`` is per candidate, (n,).

    The map is pooled over tiers (only the folds are stratified by them). ``by_agent`` fits one map per agent:
    the only kind that can change which candidate of a block is highest other than by merging scores.
    """
    predicted = np.full(len(data.correct), np.nan)
    parameters: list[dict[str, float]] = []
    reason = ""
    probability = data.probability
    for rows in _groups(data, by_agent):
        for k in np.unique(fold):
            held_out, training = rows[fold[rows] == k], rows[fold[rows] != k]
            fitted = _fit(method, data, training)
            if fitted is None:
                reason = "one_class"
                continue
            predicted[held_out] = fitted.predict(probability[held_out])
            parameters.append(fitted.parameters)
    return CrossFit(method, predicted, tuple(parameters), reason)
