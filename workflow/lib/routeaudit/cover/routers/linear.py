"""The one learner the routers share: logistic regression on standardised features, as plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from routeaudit.cover.routers.base import Fitted, Scores
from routeaudit.cover.routers.material import Training

Matrix = npt.NDArray[np.float64]


def fit_logistic(features: Matrix, targets: Scores, inverse_penalty: float, names: Sequence[str]) -> Fitted:
    """L2-penalised logistic regression on graded targets in [0, 1].

    A target y counts as y of a success and 1 - y of a failure. With one class only, the
    model is the constant of its base rate.

    Returns
    -------
    ``names``, ``mean``, ``scale``, ``weights`` (per standardised feature) and ``intercept``.
    """
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    standard = (features - mean) / scale
    weights, intercept = _weights(standard, targets, inverse_penalty)
    return {
        "names": list(names),
        "mean": _plain(mean),
        "scale": _plain(scale),
        "weights": _plain(weights),
        "intercept": float(intercept),
    }


def stack_outcomes(training: Training, matrices: Sequence[Matrix]) -> tuple[Matrix, Scores]:
    """Feature rows of all training cells that have an outcome, and those outcomes.

    `matrices` holds one matrix per training task with one row per legal team.
    """
    targets = np.concatenate([training.outcomes(task) for task in training.tasks])
    known = ~np.isnan(targets)
    return np.vstack(matrices)[known], targets[known]


def logit(fitted: Fitted, features: Matrix) -> Scores:
    """Log odds of the fitted model."""
    standard = (features - np.asarray(fitted["mean"])) / np.asarray(fitted["scale"])
    result: Scores = standard @ np.asarray(fitted["weights"]) + fitted["intercept"]
    return result


def probability(fitted: Fitted, features: Matrix) -> Scores:
    """Probability of success of the fitted model."""
    result: Scores = expit(logit(fitted, features))
    return result


def _weights(standard: Matrix, targets: Scores, inverse_penalty: float) -> tuple[Scores, float]:
    rate = float(targets.mean())
    if rate <= 0.0 or rate >= 1.0:
        bounded = min(max(rate, 1e-3), 1 - 1e-3)
        return np.zeros(standard.shape[1]), float(np.log(bounded / (1 - bounded)))
    rows = np.vstack([standard, standard])
    labels = np.repeat([1, 0], len(standard))
    counts = np.concatenate([targets, 1 - targets])
    used = counts > 0
    model: Any = LogisticRegression(C=inverse_penalty, max_iter=1000)
    model.fit(rows[used], labels[used], sample_weight=counts[used])
    return model.coef_[0], float(model.intercept_[0])


def _plain(values: Scores) -> list[float]:
    return [float(value) for value in values]
