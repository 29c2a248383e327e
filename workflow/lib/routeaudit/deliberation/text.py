"""An audit as a few lines for a terminal: sizes, main numbers, cautions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.groups import Estimates
from routeaudit.inference.results import Estimate

_ROUTING = ("HRWP", "CRA", "MCR", "PCCA", "CTR")
_RAW = ("ECE", "AUROC")


def summary(result: AuditResult, cautions: Sequence[str]) -> str:
    """Main numbers with interval and denominator, one a line, then every caution."""
    totals = result.totals
    sizes = (
        f"{totals.problems:,} problems, {totals.blocks:,} blocks, {totals.valid_candidates:,} valid "
        f"candidates of {totals.polls:,} polls, {totals.agents} agents"
    )
    return "\n".join([sizes, *map(_line, _main(result)), *(f"caution: {text}" for text in cautions)])


def one_line(result: AuditResult) -> str:
    """The same numbers on one line, without their intervals."""
    return ", ".join(f"{estimate.metric} {_value(estimate)}" for estimate in _main(result))


def _main(result: AuditResult) -> Iterator[Estimate]:
    yield from _named(result.routing, _ROUTING)
    yield from _named(result.calibration.get("raw", ()), _RAW)


def _named(estimates: Estimates, names: Sequence[str]) -> Iterator[Estimate]:
    by_name = {estimate.metric: estimate for estimate in estimates}
    return (by_name[name] for name in names if name in by_name)


def _line(estimate: Estimate) -> str:
    ends = estimate.interval
    unknown = ends is None or math.isnan(ends.lower)
    shown = "-" if ends is None or unknown else f"[{ends.lower:.3f}, {ends.upper:.3f}]"
    of = f"{estimate.denominator:,} {estimate.unit}"
    counted = of if math.isnan(estimate.numerator) else f"{estimate.numerator:,g} of {of}"
    return (
        f"{estimate.metric:<5}  {_value(estimate):<5}  {shown:<16}  {counted}, {estimate.clusters:,} problems"
    )


def _value(estimate: Estimate) -> str:
    if math.isnan(estimate.estimate):
        return f"- ({estimate.reason.replace('_', ' ')})"
    return f"{estimate.estimate:.3f}"
