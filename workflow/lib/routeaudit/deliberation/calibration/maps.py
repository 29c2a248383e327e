"""Recalibration maps: temperature, Platt and isotonic, fitted on distinct scores with counts (A14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from routeaudit.deliberation.arrays import FloatArray

CLIP = 0.005
T_LOW, T_HIGH = 0.05, 100.0


class CalibrationMap(Protocol):
    """A fitted map from stated probability to calibrated probability."""

    @property
    def parameters(self) -> dict[str, float]: ...

    def predict(self, probability: FloatArray) -> FloatArray: ...


def clipped_logit(probability: FloatArray, clip: float = CLIP) -> FloatArray:
    """logit of the probability kept ``clip`` (half a unit of a 0..100 score) away from 0 and 1."""
    return np.asarray(logit(np.clip(probability, clip, 1 - clip)))


@dataclass(frozen=True)
class Temperature:
    """sigmoid(logit(p) / T). It cannot move a forecast across 1/2."""

    temperature: float
    clip: float

    @property
    def parameters(self) -> dict[str, float]:
        return {"temperature": self.temperature}

    def predict(self, probability: FloatArray) -> FloatArray:
        return np.asarray(expit(clipped_logit(probability, self.clip) / self.temperature))


@dataclass(frozen=True)
class Platt:
    """sigmoid(slope * logit(p) + intercept)."""

    slope: float
    intercept: float
    clip: float

    @property
    def parameters(self) -> dict[str, float]:
        return {"slope": self.slope, "intercept": self.intercept}

    def predict(self, probability: FloatArray) -> FloatArray:
        return np.asarray(expit(self.slope * clipped_logit(probability, self.clip) + self.intercept))


@dataclass(frozen=True)
class Isotonic:
    """Weighted pool-adjacent-violators, linear between thresholds, constant outside (scikit-learn)."""

    thresholds: FloatArray
    values: FloatArray

    @property
    def parameters(self) -> dict[str, float]:
        return {"levels": float(len(np.unique(self.values)))}

    def predict(self, probability: FloatArray) -> FloatArray:
        return np.interp(probability, self.thresholds, self.values)


def fit_temperature(
    forecast: FloatArray, wrong: FloatArray, right: FloatArray, clip: float = CLIP
) -> Temperature:
    """Maximum likelihood in 1/T, which is convex: the root of the score, or the nearer bound of T."""
    x = clipped_logit(forecast, clip)

    def score(inverse: float) -> float:
        return float(x @ (right - (wrong + right) * expit(inverse * x)))

    low, high = 1 / T_HIGH, 1 / T_LOW
    if score(low) <= 0:
        return Temperature(T_HIGH, clip)
    if score(high) >= 0:
        return Temperature(T_LOW, clip)
    return Temperature(1 / float(brentq(score, low, high, xtol=1e-13)), clip)


def fit_platt(forecast: FloatArray, wrong: FloatArray, right: FloatArray, clip: float = CLIP) -> Platt:
    """Unpenalised logistic regression on the clipped logit (maximum likelihood)."""
    x = np.tile(clipped_logit(forecast, clip), 2)[:, None]
    label = np.repeat([0, 1], len(forecast))
    weight = np.concatenate([wrong, right])
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=200)
    model.fit(x[weight > 0], label[weight > 0], sample_weight=weight[weight > 0])
    return Platt(float(model.coef_[0, 0]), float(model.intercept_[0]), clip)


def fit_isotonic(forecast: FloatArray, wrong: FloatArray, right: FloatArray) -> Isotonic:
    """Isotonic regression of accuracy on the distinct forecasts, weighted by their counts."""
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    model.fit(forecast, right / (wrong + right), sample_weight=wrong + right)
    return Isotonic(np.asarray(model.X_thresholds_, float), np.asarray(model.y_thresholds_, float))


Fitter = Callable[[FloatArray, FloatArray, FloatArray], CalibrationMap]
FITTERS: dict[str, Fitter] = {
    "temperature": fit_temperature,
    "platt": fit_platt,
    "isotonic": fit_isotonic,
}
