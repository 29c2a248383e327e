"""Pre-declared paired contrasts, and Holm over the frozen family of tests (statistics.md A5 to A7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.regret import contrast_bounds
from routeaudit.cover.scoring.routes import Routes
from routeaudit.cover.scoring.scores import from_inference, unidentified
from routeaudit.errors import InputError
from routeaudit.inference.infer import infer_means
from routeaudit.inference.multiplicity import holm, romano_wolf
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.replicates import bootstrap
from routeaudit.inference.results import Estimate, PValue
from routeaudit.inference.streams import digest_arrays
from routeaudit.inference.units import FloatArray, IntArray, reduce_to_units

MAX_T_DRAWS = 50_000_000_000


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A declared comparison: gain = V(policy) - V(reference) = R(reference) - R(policy); positive favours
    ``policy``.

    ``metric`` is the word the report uses (value, regret, union_regret, ...); the identity of A1 makes the
    number the same. ``in_family`` puts its test in the Holm family; other rows stay unadjusted.
    """

    id: str
    policy: str
    reference: str
    endpoint: str
    metric: str = "value"
    in_family: bool = False


@dataclass(frozen=True, kw_only=True)
class ContrastResult:
    """A contrast with gain, primary p, Holm-adjusted p (None outside the family) and companion p-values.

    ``wins`` and ``losses`` count the tasks that favour the policy and the reference; ``detectable`` is the
    effect found with 80 % power, ``error`` the (cluster-robust) standard error. ``max_t`` is the Romano-Wolf
    companion of the family.
    """

    contrast: Contrast
    gain: Estimate
    p: PValue
    companion_p: tuple[PValue, ...]
    wins: int | None
    losses: int | None
    error: float
    detectable: float
    adjusted: float | None = None
    max_t: float | None = None

    def __str__(self) -> str:
        adjusted = "secondary, unadjusted" if self.adjusted is None else f"Holm {self.adjusted:.3g}"
        return f"{self.gain}; {self.p} ({adjusted})"

    def to_row(self) -> dict[str, Any]:
        """Flat mapping for a table."""
        declared = self.contrast
        row = self.gain.to_row()
        row.pop("subject")
        return {
            "contrast": declared.id,
            "policy": declared.policy,
            "reference": declared.reference,
            **row,
            "wins": self.wins,
            "losses": self.losses,
            "error": self.error,
            "detectable": self.detectable,
            "p": self.p.p,
            "p_method": self.p.method,
            "p_engine": self.p.engine,
            "p_reason": self.p.reason,
            "adjusted": self.adjusted is not None,
            "p_adjusted": math.nan if self.adjusted is None else self.adjusted,
            "p_max_t": math.nan if self.max_t is None else self.max_t,
            **{f"p_{other.method}": other.p for other in self.companion_p},
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "contrast": self.contrast.id,
            "policy": self.contrast.policy,
            "reference": self.contrast.reference,
            "gain": self.gain.to_dict(),
            "p": self.p.to_dict(),
            "companion_p": [other.to_dict() for other in self.companion_p],
            "wins": self.wins,
            "losses": self.losses,
            "error": self.error if math.isfinite(self.error) else None,
            "detectable": self.detectable if math.isfinite(self.detectable) else None,
            "p_adjusted": self.adjusted,
            "p_max_t": self.max_t,
        }


@dataclass(frozen=True, eq=False)
class Scored:
    """The cells of one endpoint and the routes located in them."""

    cells: Cells
    routes: Routes


def evaluate_contrasts(
    tables: Mapping[str, Scored], contrasts: Sequence[Contrast], plan: InferencePlan
) -> tuple[ContrastResult, ...]:
    """Test every declared contrast, in declared order; ``tables`` maps an endpoint to its cells.

    Contrasts of one endpoint share one weight matrix. A contrast that missing cells leave unidentified gets
    bounds and p = NaN, which enters Holm as 1.
    """
    plan = _for_family(plan, contrasts)
    results: dict[str, ContrastResult] = {}
    for endpoint in dict.fromkeys(contrast.endpoint for contrast in contrasts):
        if endpoint not in tables:
            raise InputError(
                f"contrast endpoint {endpoint!r}",
                f"one of {', '.join(tables)}",
                "no outcomes",
                "grade that endpoint",
            )
        declared = [contrast for contrast in contrasts if contrast.endpoint == endpoint]
        results |= {r.contrast.id: r for r in _endpoint_results(tables[endpoint], declared, plan)}
    ordered = tuple(results[contrast.id] for contrast in contrasts)
    return _adjust(ordered)


def _endpoint_results(
    scored: Scored, declared: Sequence[Contrast], plan: InferencePlan
) -> tuple[ContrastResult, ...]:
    bounds = [
        contrast_bounds(scored.cells, scored.routes.of(c.policy), scored.routes.of(c.reference))
        for c in declared
    ]
    known = [i for i, bound in enumerate(bounds) if bound.point]
    values = np.stack([bounds[i].lower for i in known], axis=1) if known else np.empty((0, 0))
    tested = _tested([declared[i] for i in known], values, plan, scored.cells.cluster_codes)
    results = dict(zip(known, _with_max_t(tested, values, plan, scored.cells.cluster_codes), strict=True))
    for i, contrast in enumerate(declared):
        if i not in results:
            gain = unidentified(contrast.id, contrast.metric, bounds[i], scored.cells, plan, (-1.0, 1.0))
            results[i] = _untested(contrast, gain)
    return tuple(results[i] for i in range(len(declared)))


def evaluate_differences(
    contrasts: Sequence[Contrast], values: FloatArray, plan: InferencePlan, clusters: IntArray | None = None
) -> tuple[ContrastResult, ...]:
    """Test contrasts with known per-task differences ``values`` (T, C), with Holm over the family rows."""
    plan = _for_family(plan, contrasts)
    return _adjust(_with_max_t(_tested(contrasts, values, plan, clusters), values, plan, clusters))


def _for_family(plan: InferencePlan, contrasts: Sequence[Contrast]) -> InferencePlan:
    """The plan with the size of the Holm family, which says how fine its p-values must be."""
    return replace(plan, tests=max(1, sum(contrast.in_family for contrast in contrasts)))


def _tested(
    contrasts: Sequence[Contrast], values: FloatArray, plan: InferencePlan, clusters: IntArray | None
) -> tuple[ContrastResult, ...]:
    inferred = infer_means(values, "difference", plan, clusters)
    return tuple(
        ContrastResult(
            contrast=contrast,
            gain=from_inference(contrast.id, contrast.endpoint, contrast.metric, found),
            p=found.p,
            companion_p=found.companion_p,
            wins=int((column > 0).sum()),
            losses=int((column < 0).sum()),
            error=found.error,
            detectable=found.detectable,
        )
        for contrast, found, column in zip(contrasts, inferred, values.T, strict=True)
    )


def _untested(contrast: Contrast, gain: Estimate) -> ContrastResult:
    p = PValue(p=math.nan, method="none", engine="none", reason=gain.reason)
    return ContrastResult(
        contrast=contrast,
        gain=gain,
        p=p,
        companion_p=(),
        wins=None,
        losses=None,
        error=math.nan,
        detectable=math.nan,
    )


def _with_max_t(
    results: tuple[ContrastResult, ...], values: FloatArray, plan: InferencePlan, clusters: IntArray | None
) -> tuple[ContrastResult, ...]:
    """Romano-Wolf companion over the family tests, from the shared weights; never decides."""
    family = [i for i, result in enumerate(results) if result.contrast.in_family]
    if len(family) < 2 or values.size * plan.resamples > MAX_T_DRAWS:
        return results
    units = reduce_to_units(values[:, family], clusters)
    if units.count < 2:
        return results
    stream = plan.stream(plan.digest or digest_arrays(values))

    def replicates(columns: IntArray) -> FloatArray:
        part = replace(units, sums=units.sums[:, columns])
        return bootstrap(part, plan.resamples, stream, threads=plan.threads).t_replicates

    errors = units.standard_errors()
    t = np.where(errors > 0, units.means / np.where(errors > 0, errors, 1.0), 0.0)
    adjusted = dict(zip(family, romano_wolf(replicates, t), strict=True))
    return tuple(
        replace(result, max_t=float(adjusted[i])) if i in adjusted else result
        for i, result in enumerate(results)
    )


def _adjust(results: tuple[ContrastResult, ...]) -> tuple[ContrastResult, ...]:
    family = [i for i, result in enumerate(results) if result.contrast.in_family]
    if not family:
        return results
    adjusted = dict(zip(family, holm(np.array([results[i].p.p for i in family])), strict=True))
    return tuple(
        replace(result, adjusted=float(adjusted[i])) if i in adjusted else result
        for i, result in enumerate(results)
    )
