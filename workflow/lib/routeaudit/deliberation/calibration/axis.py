"""The calibration axis of an audit: raw scores and three cross-fitted recalibrations (table 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, FloatArray, IntArray
from routeaudit.deliberation.calibration.auroc import auroc_measure, within_fold_auroc
from routeaudit.deliberation.calibration.crossfit import CrossFit, cross_fit
from routeaudit.deliberation.calibration.maps import FITTERS
from routeaudit.deliberation.calibration.reliability import (
    Murphy,
    Reliability,
    bin_index,
    brier_measure,
    ece_measure,
    ece_noise_floor,
    murphy,
    reliability,
)
from routeaudit.deliberation.calibration.scores import Candidates, score_table
from routeaudit.deliberation.measures import Measure, mean_measure
from routeaudit.deliberation.settings import AuditSettings

RAW = "raw"


@dataclass(frozen=True)
class Calibrator:
    """One way of reading the scores as probabilities, on held-out candidates.

    measures : ECE (right-closed), ECE_left_closed, Brier, AUROC, mean_confidence, accuracy
    noise_floor : E[ECE] if these forecasts were perfectly calibrated
    within_fold_auroc : mean over folds; NaN for the raw scores
    reason : why nothing could be measured, or ""
    """

    name: str
    measures: tuple[Measure, ...]
    murphy: Murphy | None
    noise_floor: float
    within_fold_auroc: float
    diagram: Reliability | None
    parameters: tuple[dict[str, float], ...]
    reason: str = ""


def _measures(
    data: Candidates, probability: FloatArray, ranked: AnyArray, bins: dict[str, IntArray], n_bins: int
) -> tuple[Measure, ...]:
    correct, cluster, g = data.correct, data.cluster, data.n_clusters
    unit = "valid candidates"
    return (
        ece_measure(probability, correct, bins["right"], n_bins, cluster, g),
        ece_measure(probability, correct, bins["left"], n_bins, cluster, g).named("ECE_left_closed"),
        brier_measure(probability, correct, cluster, g),
        auroc_measure(score_table(ranked), correct, cluster, g),
        mean_measure("mean_confidence", probability, cluster, g, unit, "mean forecast"),
        mean_measure("accuracy", correct, cluster, g, unit, "candidates that are correct"),
    )


def _describe(
    name: str,
    data: Candidates,
    score: AnyArray,
    scale: float,
    settings: AuditSettings,
    fold: IntArray | None,
    parameters: tuple[dict[str, float], ...],
) -> Calibrator:
    probability = np.asarray(score, dtype=np.float64) / scale
    bins = {side: bin_index(score, scale, settings.bins, side) for side in ("right", "left")}
    rng = np.random.default_rng([settings.seed, len(name)])
    return Calibrator(
        name=name,
        measures=_measures(data, probability, score, bins, settings.bins),
        murphy=murphy(score_table(score), scale, data.correct),
        noise_floor=ece_noise_floor(
            probability, bins["right"], settings.bins, rng, settings.noise_floor_repeats
        ),
        within_fold_auroc=float("nan")
        if fold is None
        else within_fold_auroc(probability, data.correct, fold),
        diagram=reliability(probability, data.correct, bins["right"], settings.bins, "right"),
        parameters=parameters,
    )


def raw_calibrator(data: Candidates, settings: AuditSettings) -> Calibrator:
    """The scores as stated."""
    return _describe(RAW, data, data.score, data.scale, settings, None, ())


def cross_fitted(data: Candidates, problem_fold: IntArray) -> dict[str, CrossFit]:
    """Held-out predictions of every calibrator; ``problem_fold`` is per problem (G,)."""
    fold = problem_fold[data.cluster]
    return {method: cross_fit(method, data, fold) for method in FITTERS}


def recalibrated(
    data: Candidates, fits: dict[str, CrossFit], problem_fold: IntArray, settings: AuditSettings
) -> list[Calibrator]:
    """Each recalibration described like the raw scores, or with the reason why it is undefined."""
    fold = problem_fold[data.cluster]
    out = []
    for name, fit in fits.items():
        if fit.reason:
            nan = float("nan")
            out.append(Calibrator(name, (), None, nan, nan, None, fit.parameters, fit.reason))
        else:
            out.append(_describe(name, data, fit.predicted, 1.0, settings, fold, fit.parameters))
    return out
