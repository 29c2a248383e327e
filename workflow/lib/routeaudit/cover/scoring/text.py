"""An assessment as plain text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from routeaudit.cover.scoring.assess import Assessment, EndpointAssessment
from routeaudit.cover.scoring.contrasts import ContrastResult
from routeaudit.cover.scoring.ranking import RANKED_FROM
from routeaudit.cover.scoring.ranking_text import aligned, ranking_block
from routeaudit.inference.results import Estimate, Interval

_SHOWN_CELLS = 8
_SHOWN_STEPS = 10


def render(assessment: Assessment) -> str:
    """One block per endpoint, then all contrasts or, from ``RANKED_FROM`` of them on, a ranking instead."""
    if len(assessment.contrasts) >= RANKED_FROM:
        blocks = _ranked(assessment)
    else:
        blocks = [_endpoint(endpoint, endpoint.estimates) for endpoint in assessment.endpoints]
        blocks += [_contrasts(assessment.contrasts)] if assessment.contrasts else []
    blocks += _unsourced(assessment.without_source)
    blocks.append(
        "No contract was sealed before these outcomes: every row is descriptive, every p-value nominal."
    )
    return "\n\n".join(blocks)


def _unsourced(tasks: int) -> list[str]:
    each = "each is its own source" if tasks > 1 else "it is its own source"
    return [f"{tasks} task{'s' * (tasks > 1)} without a source id: {each}"] if tasks else []


def _ranked(assessment: Assessment) -> list[str]:
    """Endpoints without the rows of their policies, which the ranking after each of them holds."""
    blocks = []
    for endpoint, ranking in zip(assessment.endpoints, assessment.rankings, strict=True):
        policies = {standing.policy for standing in ranking.standings}
        rest = [estimate for estimate in endpoint.estimates if estimate.subject not in policies]
        blocks += [_endpoint(endpoint, rest), ranking_block(ranking, endpoint.estimates)]
    return [
        *blocks,
        f"all {len(assessment.contrasts):,} contrasts (Holm over all of them) and every row of every policy: "
        "--out DIR (contrasts.csv, scores.csv) or --json",
    ]


def _endpoint(found: EndpointAssessment, estimates: Iterable[Estimate]) -> str:
    counts = found.counts
    lines = [
        f"endpoint {found.endpoint}: {found.tasks} tasks in {found.clusters} clusters",
        f"coverage: planned {counts['planned']} = ok {counts['ok']} + invalid {counts['invalid']} + missing "
        f"{counts['missing']}; legal but not planned {counts['not_planned']}",
        f"regime: {found.regime} ({found.why})",
        "executions: " + ", ".join(f"{name} {count}" for name, count in found.support.items()),
        *(f"note: {finding.sentence}" for finding in found.findings),
        "",
        aligned(
            ("subject", "metric", "estimate", "k/n", "interval", "method", "flags"),
            map(_row, estimates),
        ),
    ]
    lines += ["", *map(str, found.criteria)] if found.criteria else []
    lines += ["", *_next(found)] if found.next_cells else []
    return "\n".join(lines)


def _row(estimate: Estimate) -> Sequence[str]:
    flags = (*estimate.flags, *(estimate.interval.flags if estimate.interval else ()))
    counted = "" if estimate.bounds else f"{estimate.numerator:.6g}/{estimate.denominator:.6g}"
    shown, ends, method = _number(estimate), _ends(estimate.interval), _method(estimate.interval)
    return estimate.subject, estimate.metric, shown, counted, ends, method, ", ".join(flags)


def _number(estimate: Estimate) -> str:
    if estimate.bounds is not None:
        return f"in [{estimate.bounds[0]:.4f}, {estimate.bounds[1]:.4f}]"
    return f"NaN({estimate.reason})" if math.isnan(estimate.estimate) else f"{estimate.estimate:.4f}"


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return ""
    if math.isnan(interval.lower):
        return f"NaN({interval.reason})"
    return f"[{interval.lower:.4f}, {interval.upper:.4f}]"


def _method(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.method}/{interval.engine}"


def _contrasts(results: Iterable[ContrastResult]) -> str:
    head = ("contrast", "gain", "+/-", "interval", "method", "p", "test", "Holm", "detectable")
    return "paired contrasts (Holm over all of them)\n" + aligned(head, map(_contrast_row, results))


def _contrast_row(result: ContrastResult) -> Sequence[str]:
    gain = result.gain
    return (
        result.contrast.id,
        _number(gain),
        "" if result.wins is None else f"{result.wins}/{result.losses}",
        _ends(gain.interval),
        _method(gain.interval),
        "" if math.isnan(result.p.p) else f"{result.p.p:.3g}",
        result.p.method,
        f"{result.adjusted:.3g}" if result.adjusted is not None else "",
        "" if math.isnan(result.detectable) else f"{result.detectable:.4f}",
    )


def _next(found: EndpointAssessment) -> Iterable[str]:
    yield "run next:"
    for step in sorted(found.next_cells, key=lambda step: step.cost)[:_SHOWN_STEPS]:
        shown = ", ".join(f"{task}/{team}" for task, team in step.cells[:_SHOWN_CELLS])
        more = f" and {len(step.cells) - _SHOWN_CELLS} more" if len(step.cells) > _SHOWN_CELLS else ""
        verb = {"identifies": "identify", "could_pass": "could pass", "could_fail": "could fail"}[step.effect]
        least = (
            f"at least {step.fewest_to_decide} to decide" if step.fewest_to_decide else "sign settled already"
        )
        cells = f"{len(step.cells)} cells, {step.cost} worker runs"
        yield f"  {step.target}: {cells}, {verb} it ({least}): {shown}{more}"
    if (rest := len(found.next_cells) - _SHOWN_STEPS) > 0:
        yield f"  and {rest:,} more that cost as much or more (--json)"
