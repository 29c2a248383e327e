"""Frozen results of the statistics engine: what they are, out of how many, and how they were obtained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


def _number(value: float) -> float | None:
    """JSON has no NaN or infinity: both become null, and the reason stands beside them."""
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval with its provenance.

    ``method`` names the construction, ``engine`` how it was evaluated (exact, analytic, mc, closed_form),
    ``rule`` the clause of the default rule that chose it. NaN ends carry a ``reason``.
    """

    lower: float
    upper: float
    level: float
    method: str
    engine: str
    seed: int | None = None
    resamples: int | None = None
    rule: str = ""
    flags: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        if math.isnan(self.lower):
            return f"NaN({self.reason})"
        return f"[{self.lower:.4f}, {self.upper:.4f}] {self.method}/{self.engine}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "lower": _number(self.lower),
            "upper": _number(self.upper),
            "level": self.level,
            "method": self.method,
            "engine": self.engine,
            "seed": self.seed,
            "resamples": self.resamples,
            "rule": self.rule,
            "flags": list(self.flags),
            "reason": self.reason,
        }


@dataclass(frozen=True, kw_only=True)
class PValue:
    """A two-sided p-value of H0: mean = 0, and how it was obtained."""

    p: float
    method: str
    engine: str
    seed: int | None = None
    resamples: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        return f"NaN({self.reason})" if math.isnan(self.p) else f"p={self.p:.3g} {self.method}/{self.engine}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "p": _number(self.p),
            "method": self.method,
            "engine": self.engine,
            "seed": self.seed,
            "resamples": self.resamples,
            "reason": self.reason,
        }


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One statistic: estimate = numerator / denominator, tasks grouped in ``clusters`` resampling units.

    ``denominator`` counts ``unit`` (tasks, except in a ratio of sums, whose unit says so).

    ``numerator`` is an ``int`` where every summand is an integer, so that k/n stays exact. ``bounds`` are
    sharp identification bounds when coverage leaves the estimand unidentified; ``estimate`` is then NaN with
    a reason.
    """

    subject: str
    endpoint: str
    metric: str
    estimate: float
    numerator: float | int
    denominator: float | int
    clusters: int
    unit: str = "task"
    interval: Interval | None = None
    companions: tuple[Interval, ...] = ()
    bounds: tuple[float, float] | None = None
    informative: int | None = None
    flags: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        head = f"{self.subject} {self.metric} ({self.endpoint})"
        if self.bounds is not None:
            body = f"in [{self.bounds[0]:.4f}, {self.bounds[1]:.4f}] (sharp bounds: {self.reason})"
        elif math.isnan(self.estimate):
            body = f"NaN({self.reason})"
        else:
            body = f"{self.estimate:.4f} = {self.numerator:g}/{self.denominator:g}"
        tail = "" if self.interval is None else f"; {self.interval.level:.0%} {self.interval}"
        flags = f"  {{{', '.join(self.flags)}}}" if self.flags else ""
        return f"{head}: {body}{tail}{flags}"

    @property
    def identification(self) -> str:
        """What the executed cells say of the finite benchmark, apart from sampling: exact, bounds or none."""
        if self.bounds is not None:
            return "bounds"
        return "none" if math.isnan(self.estimate) else "exact"

    def to_row(self) -> dict[str, Any]:
        """Flat mapping for a table: one scalar per column, flags joined by ``;``, NaN kept."""
        interval = self.interval
        lower, upper = (math.nan, math.nan) if self.bounds is None else self.bounds
        return {
            "subject": self.subject,
            "endpoint": self.endpoint,
            "metric": self.metric,
            "estimate": self.estimate,
            "numerator": float(self.numerator),
            "denominator": self.denominator,
            "unit": self.unit,
            "clusters": self.clusters,
            "identification": self.identification,
            "bound_lower": lower,
            "bound_upper": upper,
            "lower": math.nan if interval is None else interval.lower,
            "upper": math.nan if interval is None else interval.upper,
            "level": math.nan if interval is None else interval.level,
            "method": "none" if interval is None else interval.method,
            "engine": "none" if interval is None else interval.engine,
            "seed": None if interval is None else interval.seed,
            "resamples": None if interval is None else interval.resamples,
            "rule": "" if interval is None else interval.rule,
            "informative": self.informative,
            "flags": ";".join((*self.flags, *(() if interval is None else interval.flags))),
            "reason": self.reason,
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "subject": self.subject,
            "endpoint": self.endpoint,
            "metric": self.metric,
            "estimate": _number(self.estimate),
            "numerator": _number(self.numerator) if isinstance(self.numerator, float) else self.numerator,
            "denominator": self.denominator,
            "unit": self.unit,
            "clusters": self.clusters,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "companions": [interval.to_dict() for interval in self.companions],
            "identification": self.identification,
            "bounds": None if self.bounds is None else list(self.bounds),
            "informative": self.informative,
            "flags": list(self.flags),
            "reason": self.reason,
        }


def exact_sum(total: float, integer: bool) -> float | int:
    """The sum as an ``int`` where its summands are integers, else as it is."""
    return round(total) if integer else float(total)
