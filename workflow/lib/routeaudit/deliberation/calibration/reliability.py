"""Expected calibration error, Brier score with Murphy's decomposition, and the reliability diagram (A13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, IntArray, cluster_sum, ratio
from routeaudit.deliberation.calibration.scores import ScoreTable
from routeaudit.deliberation.measures import Measure, mean_measure

Closed = Literal["right", "left"]
_EDGE_DECIMALS = 9


def bin_at_edges(score: AnyArray, edges: AnyArray, closed: Closed) -> IntArray:
    """Bin of each score between inner ``edges`` (M - 1,), compared exactly as they are: (n,) in 0..M-1.

    Right-closed bins are (e, e'], left-closed ones [e, e').
    """
    side: Literal["left", "right"] = "left" if closed == "right" else "right"
    return np.searchsorted(edges, score, side=side)


def bin_index(score: AnyArray, scale: float, n_bins: int, closed: Closed) -> IntArray:
    """Equal-width bin of each score on 0..scale, (n,) in 0..n_bins-1; both end bins keep their end point.

    Stated confidences sit on the edges, so integer scores are binned in integers, and other scores only after
    rounding away float noise: ``linspace`` edges misplace 0.3, 0.6 and 0.7, and 0.7000000000000001 means 0.7.
    """
    inner = np.arange(1, n_bins)
    if np.issubdtype(score.dtype, np.integer) and float(scale).is_integer():
        return bin_at_edges(score.astype(np.int64) * n_bins, inner * int(scale), closed)
    return bin_at_edges(np.round(score * n_bins / scale, _EDGE_DECIMALS), inner, closed)


@dataclass(frozen=True)
class Reliability:
    """One reliability diagram: count, mean forecast and accuracy per bin, each (M,)."""

    count: FloatArray
    confidence: FloatArray
    accuracy: FloatArray
    closed: Closed

    @property
    def ece(self) -> float:
        gap = np.abs(self.confidence - self.accuracy)
        return float(np.nansum(self.count * gap) / self.count.sum()) if self.count.sum() else float("nan")


def reliability(
    probability: FloatArray, correct: BoolArray, bins: IntArray, n_bins: int, closed: Closed
) -> Reliability:
    """Reliability of forecasts (n,) given their bins (n,)."""
    count = np.bincount(bins, minlength=n_bins).astype(np.float64)
    return Reliability(
        count=count,
        confidence=ratio(cluster_sum(probability, bins, n_bins), count),
        accuracy=ratio(cluster_sum(correct, bins, n_bins), count),
        closed=closed,
    )


def _combine_ece(totals: FloatArray) -> FloatArray:
    m = totals.shape[-1] // 2
    gap: FloatArray = np.abs(totals[..., :m]).sum(axis=-1)
    return ratio(gap, totals[..., m:].sum(axis=-1))


def _binned(totals: FloatArray) -> FloatArray:
    return np.asarray(totals[..., totals.shape[-1] // 2 :].sum(axis=-1))


def ece_measure(
    probability: FloatArray,
    correct: BoolArray,
    bins: IntArray,
    n_bins: int,
    cluster: IntArray,
    n_clusters: int,
) -> Measure:
    """ECE = sum_m |sum of forecasts - number correct| / n, from per-problem sums per bin."""
    cell = cluster * n_bins + bins
    gap = cluster_sum(probability - correct, cell, n_clusters * n_bins).reshape(n_clusters, n_bins)
    count = cluster_sum(np.ones(len(cell)), cell, n_clusters * n_bins).reshape(n_clusters, n_bins)
    return Measure(
        name="ECE",
        sums=np.concatenate([gap, count], axis=1),
        combine=_combine_ece,
        below=_binned,
        unit="valid candidates",
        definition=f"{n_bins} equal-width bins, mean forecast against accuracy",
    )


def brier_measure(probability: FloatArray, correct: BoolArray, cluster: IntArray, n_clusters: int) -> Measure:
    """Mean squared distance of forecast and label (Brier 1950)."""
    squared = (probability - correct) ** 2
    text = "mean squared distance of forecast and label"
    return mean_measure("Brier", squared, cluster, n_clusters, "valid candidates", text)


@dataclass(frozen=True)
class Murphy:
    """Brier = reliability - resolution + uncertainty, exact over distinct forecasts (Murphy 1973)."""

    reliability: float
    resolution: float
    uncertainty: float

    @property
    def brier(self) -> float:
        return self.reliability - self.resolution + self.uncertainty


def murphy(table: ScoreTable, scale: float, correct: BoolArray) -> Murphy:
    """Decomposition over the distinct forecasts of ``table``."""
    wrong, right = table.counts(correct)
    count = wrong + right
    n, rate = count.sum(), right.sum() / count.sum()
    accuracy = right / count
    forecast = np.asarray(table.values, dtype=np.float64) / scale
    return Murphy(
        reliability=float((count * (forecast - accuracy) ** 2).sum() / n),
        resolution=float((count * (accuracy - rate) ** 2).sum() / n),
        uncertainty=float(rate * (1 - rate)),
    )


def ece_noise_floor(
    probability: FloatArray, bins: IntArray, n_bins: int, rng: np.random.Generator, repeats: int = 200
) -> float:
    """E[ECE] of perfectly calibrated forecasts: labels redrawn as Bernoulli(forecast).

    The plug-in ECE is biased upward, so a small ECE is read against this and not against 0.
    """
    values, code = np.unique(np.column_stack([bins, probability]), axis=0, return_inverse=True)
    count = np.bincount(code.ravel())
    cell, forecast = values[:, 0].astype(np.int64), values[:, 1]
    drawn = rng.binomial(count, np.clip(forecast, 0.0, 1.0), size=(repeats, len(count)))
    gap = count * forecast - drawn
    one_hot = (cell[:, None] == np.arange(n_bins)).astype(np.float64)
    return float(np.abs(gap @ one_hot).sum(axis=1).mean() / len(probability))
