"""Pre-declared criteria regret <= c: by the point rule and by confidence bound (statistics.md A9)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.regret import Bounded, regret_bounds
from routeaudit.cover.scoring.routes import Routes
from routeaudit.cover.scoring.sampled import SampledFamily
from routeaudit.cover.scoring.scores import Regime, comparison_set
from routeaudit.inference.one_sided import one_sided_bounds
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Interval

Verdict = Literal["pass", "fail", "inconclusive"]
_EDGE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """Regret of ``policy`` on ``endpoint`` must be at most ``threshold``, under ``regime``."""

    id: str
    policy: str
    endpoint: str
    threshold: float
    regime: Regime = "complete"


@dataclass(frozen=True, kw_only=True)
class CriterionResult:
    """``point`` compares the finite benchmark, ``bound`` its superpopulation by one-sided confidence bounds.

    ``regret`` are sharp bounds (equal ends where identified). ``certifying_tasks`` is the smallest T at which
    the bound rule could pass at all, with zero observed regret: a smaller T makes ``bound`` = pass
    impossible.
    """

    criterion: Criterion
    regret: tuple[float, float]
    denominator: int
    clusters: int
    point: Verdict
    bound: Verdict
    confidence: Interval
    certifying_tasks: int | None
    flags: tuple[str, ...]

    def __str__(self) -> str:
        low, high = self.regret
        shown = f"{low:.4f}" if low == high else f"in [{low:.4f}, {high:.4f}]"
        return (
            f"{self.criterion.id}: regret of {self.criterion.policy} {shown} "
            f"<= {self.criterion.threshold:g}: point {self.point}, by bound {self.bound} {self.confidence} "
            f"(can certify from T = {self.certifying_tasks or 'never'})"
        )

    def to_row(self) -> dict[str, Any]:
        """Flat mapping for a table."""
        return {
            "criterion": self.criterion.id,
            "policy": self.criterion.policy,
            "endpoint": self.criterion.endpoint,
            "regime": self.criterion.regime,
            "threshold": self.criterion.threshold,
            "regret_lower": self.regret[0],
            "regret_upper": self.regret[1],
            "denominator": self.denominator,
            "clusters": self.clusters,
            "point": self.point,
            "bound": self.bound,
            "lower": self.confidence.lower,
            "upper": self.confidence.upper,
            "level": self.confidence.level,
            "method": self.confidence.method,
            "certifying_tasks": self.certifying_tasks,
            "flags": ";".join(self.flags),
        }


def certifying_tasks(threshold: float, level: float = 0.95) -> int | None:
    """Smallest T with 1 - (1 - level)^(1/T) <= threshold: what zero observed regret gives (D).

    None where no number of tasks can certify, a threshold of 0.
    """
    if threshold >= 1:
        return 1
    if threshold <= 0:
        return None
    return math.ceil(math.log(1 - level) / math.log(1 - threshold) - _EDGE)


def judge(
    criterion: Criterion,
    cells: Cells,
    routes: Routes,
    plan: InferencePlan,
    sample: SampledFamily | None = None,
) -> CriterionResult:
    """Apply ``criterion`` by both rules. Partial coverage: pass only on the upper sharp bound, fail only on
    the lower.

    Confidence bounds are one-sided at ``plan.level``: Clopper-Pearson for binary regret, Gaffke below 100
    tasks, CR1 with t_{G-1} where source ids repeat, and t otherwise.
    """
    within = comparison_set(cells, routes, criterion.regime, sample)
    regret = regret_bounds(cells, routes.of(criterion.policy), within)
    confidence = _confidence(regret, cells, plan)
    needed = certifying_tasks(criterion.threshold, plan.level)
    flags = ("cannot_certify_at_this_T",) if needed is None or cells.n_tasks < needed else ()
    return CriterionResult(
        criterion=criterion,
        regret=regret.mean(),
        denominator=cells.n_tasks,
        clusters=int(np.unique(cells.clusters).size),
        point=_point_verdict(regret, criterion.threshold),
        bound=_verdict(confidence, criterion.threshold),
        confidence=confidence,
        certifying_tasks=needed,
        flags=flags if regret.point else (*flags, "partial"),
    )


def _point_verdict(regret: Bounded, threshold: float) -> Verdict:
    """Sums are compared, equality passes; 1e-9 absorbs the rounding of threshold * T."""
    limit = threshold * regret.lower.size + _EDGE
    if regret.upper.sum() <= limit:
        return "pass"
    return "fail" if regret.lower.sum() > limit else "inconclusive"


def _confidence(regret: Bounded, cells: Cells, plan: InferencePlan) -> Interval:
    below = one_sided_bounds(regret.lower, plan.level, cells.cluster_codes)
    above = one_sided_bounds(regret.upper, plan.level, cells.cluster_codes)
    return Interval(
        lower=below.lower,
        upper=above.upper,
        level=plan.level,
        method=above.method,
        engine="closed_form",
        rule="one-sided bounds, each of this level",
        reason=above.reason,
    )


def _verdict(confidence: Interval, threshold: float) -> Verdict:
    if confidence.upper <= threshold + _EDGE:
        return "pass"
    return "fail" if confidence.lower > threshold + _EDGE else "inconclusive"
