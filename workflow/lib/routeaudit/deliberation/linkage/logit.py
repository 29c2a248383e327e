"""Cluster-robust logistic regression with guards against separation and collinearity (A17)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

from routeaudit.deliberation.arrays import FloatArray, IntArray

FEW_CLUSTERS = 40
MAX_BETA_PER_SD = 4.0
MAX_MCFADDEN = 0.7
MAX_CONDITION = 1e12
SATURATED = 1e-8
MAX_SATURATED_SHARE = 0.01


@dataclass(frozen=True)
class Term:
    """One coefficient: log-odds per unit as entered, odds ratio, their interval and p-value."""

    name: str
    beta: float
    se: float
    lower: float
    upper: float
    p: float

    @property
    def odds_ratio(self) -> float:
        return odds_ratio(self.beta)


@dataclass(frozen=True)
class LogitFit:
    """A fitted model, or the reason why it could not be fitted (then ``terms`` is empty)."""

    model: str
    terms: tuple[Term, ...]
    n: int
    clusters: int
    mcfadden: float
    reference: str
    flags: tuple[str, ...] = ()
    reason: str = ""


def odds_ratio(beta: float) -> float:
    """exp(beta)."""
    return math.exp(beta)


def wald_from_interval(beta: float, lower: float, upper: float) -> tuple[float, float]:
    """(standard error, two-sided normal p) behind a printed 95 % interval."""
    se = (upper - lower) / (2 * float(stats.norm.ppf(0.975)))
    return se, 2 * float(stats.norm.sf(abs(beta / se)))


def standardised(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Columns as z-scores (ddof 0); a constant column is dropped and flagged."""
    spread = frame.std(ddof=0)
    constant = [str(c) for c in frame.columns if not spread[c] > 0]
    kept = frame.drop(columns=constant)
    return (kept - kept.mean()) / kept.std(ddof=0), tuple(f"constant:{c}" for c in constant)


def _collinear(design: FloatArray, names: list[str]) -> tuple[str, ...]:
    """Columns that earlier columns already span: an identity among predictors must not enter whole.

    The leading columns of R of one QR decomposition have the singular values of those of the design.
    """
    triangle = np.asarray(np.linalg.qr(design, mode="r"))
    tolerance = max(design.shape) * float(np.finfo(np.float64).eps)
    out: list[str] = []
    for k in range(1, design.shape[1] + 1):
        if np.linalg.matrix_rank(triangle[:, :k], rtol=tolerance) < k - len(out):
            out.append(f"collinear:{names[k - 1]}")
    return tuple(out)


def _unfit(model: str, n: int, clusters: int, reason: str, flags: tuple[str, ...] = ()) -> LogitFit:
    return LogitFit(model, (), n, clusters, float("nan"), "", flags, reason)


def fit_logit(model: str, outcome: FloatArray, predictors: pd.DataFrame, cluster: IntArray) -> LogitFit:
    """Maximum-likelihood logit with the cluster sandwich, c = G/(G-1) (n-1)/(n-k) as in statsmodels.

    Normal reference; t with G-1 degrees of freedom below 40 clusters. Guards: constant and collinear
    predictors, |beta per SD| > 4, McFadden > .7, an ill-conditioned Hessian, saturated fitted values.
    """
    clusters = len(np.unique(cluster))
    if len(outcome) == 0 or outcome.min() == outcome.max():
        return _unfit(model, len(outcome), clusters, "one_class")
    if clusters < 2:
        return _unfit(model, len(outcome), clusters, "one_cluster")
    spread = predictors.std(ddof=0)
    constant = [str(c) for c in predictors.columns if not spread[c] > 0]
    kept = predictors.drop(columns=constant).astype(np.float64)
    design = sm.add_constant(kept, has_constant="add")
    flags = tuple(f"constant:{c}" for c in constant)
    aliased = _collinear(design.to_numpy(), [str(c) for c in design.columns])
    if aliased:
        return _unfit(model, len(outcome), clusters, "collinear_predictors", flags + aliased)
    if len(outcome) <= design.shape[1]:
        return _unfit(model, len(outcome), clusters, "no_more_rows_than_coefficients", flags)
    return _fit(model, outcome, design, cluster, clusters, flags)


def _fit(
    model: str,
    outcome: FloatArray,
    design: pd.DataFrame,
    cluster: IntArray,
    clusters: int,
    flags: tuple[str, ...],
) -> LogitFit:
    few = clusters < FEW_CLUSTERS
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted = sm.Logit(outcome, design, check_rank=False).fit(
                disp=0,
                method="newton",
                tol=1e-10,
                maxiter=100,
                cov_type="cluster",
                cov_kwds={"groups": cluster},
                use_t=few,
            )
        except np.linalg.LinAlgError:
            return _unfit(model, len(outcome), clusters, "separation", flags)
    bad = (ConvergenceWarning, PerfectSeparationWarning)
    if any(issubclass(w.category, bad) for w in caught):
        return _unfit(model, len(outcome), clusters, "separation", flags)
    mcfadden = _mcfadden(float(fitted.llf), outcome)
    return LogitFit(
        model=model,
        terms=_terms(fitted, few, clusters),
        n=len(outcome),
        clusters=clusters,
        mcfadden=mcfadden,
        reference=f"t({clusters - 1})" if few else "normal",
        flags=flags + _separation_flags(fitted, design, mcfadden),
    )


def _mcfadden(log_likelihood: float, outcome: FloatArray) -> float:
    """1 - ll / ll0, ll0 the log-likelihood of the constant model."""
    rate, n = float(outcome.mean()), len(outcome)
    return 1 - log_likelihood / (n * (rate * math.log(rate) + (1 - rate) * math.log(1 - rate)))


def _terms(fitted: Any, few: bool, clusters: int) -> tuple[Term, ...]:
    law = stats.t(clusters - 1) if few else stats.norm()
    half = float(law.ppf(0.975))
    out = []
    for name in fitted.params.index:
        beta, se = float(fitted.params[name]), float(fitted.bse[name])
        p = 2 * float(law.sf(abs(beta / se))) if se > 0 else float("nan")
        out.append(Term(str(name), beta, se, beta - half * se, beta + half * se, p))
    return tuple(out)


def _separation_flags(fitted: Any, design: pd.DataFrame, mcfadden: float) -> tuple[str, ...]:
    """Signs that the likelihood has (almost) no finite maximum (Albert and Anderson 1984)."""
    flags = []
    per_sd = np.abs(fitted.params.to_numpy()) * design.std(ddof=0).to_numpy()
    if per_sd.max() > MAX_BETA_PER_SD:
        flags.append("near_separation:beta_per_sd")
    if mcfadden > MAX_MCFADDEN:
        flags.append("near_separation:mcfadden")
    if np.linalg.cond(fitted.model.hessian(fitted.params.to_numpy())) > MAX_CONDITION:
        flags.append("near_separation:hessian")
    p = fitted.predict()
    if np.mean((p < SATURATED) | (p > 1 - SATURATED)) > MAX_SATURATED_SHARE:
        flags.append("near_separation:saturated")
    return tuple(flags)
