"""All measures of an audit in named groups, so that one set of resampled problems serves every interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.calibration.axis import Calibrator
from routeaudit.deliberation.commitment.axis import CommitmentAxis
from routeaudit.deliberation.dataset import NO_TIER, Problems
from routeaudit.deliberation.intervals import Resampling, estimate_all
from routeaudit.deliberation.measures import Measure
from routeaudit.deliberation.routing.axis import RoutingAxis
from routeaudit.inference.results import Estimate

POLL, SPEAK, ALL = "poll", "speak", "all"
CALIBRATION, JUDGE, KAPPA, TIER = "calibration/", "judge/", "kappa/", "tier/"
_TIER_METRICS = ("CRA", "HRWP", "MCR", "PCCA", "CTR", "PSDR", "NPCS_divergent", "NPCS", "ECE", "accuracy")

Estimates = tuple[Estimate, ...]


@dataclass(frozen=True)
class Axes:
    """The three axes before intervals; commitment is None where no pair could be formed."""

    routing: RoutingAxis
    calibrators: tuple[Calibrator, ...]
    commitment: CommitmentAxis | None


@dataclass(frozen=True)
class Group:
    """Measures that stand together on a page, about one subject (all problems, a tier, a judge)."""

    measures: Sequence[Measure]
    endpoint: str
    subject: str = ALL


def measure_groups(axes: Axes, problems: Problems) -> dict[str, Group]:
    """Every group by name."""
    routing, commitment = axes.routing, axes.commitment
    groups = {
        "routing": Group(routing.metrics, POLL),
        "success": Group(routing.success, POLL),
        "versus_random": Group(routing.versus_random, POLL),
    }
    groups |= {CALIBRATION + c.name: Group(c.measures, POLL) for c in axes.calibrators}
    if commitment is not None:
        groups |= _commitment_groups(commitment)
    return groups | _tier_groups(axes, problems)


def _commitment_groups(axis: CommitmentAxis) -> dict[str, Group]:
    groups = {
        "commitment": Group(axis.metrics, SPEAK),
        "classes": Group(axis.classes, SPEAK),
        "flags": Group(axis.flags, SPEAK),
        "decomposition": Group(axis.decomposition, SPEAK),
    }
    groups |= {JUDGE + name: Group(found, SPEAK, name) for name, found in axis.by_judge.items()}
    return groups | {KAPPA + p.name: Group([p.kappa], SPEAK, p.name) for p in axis.judge_pairs}


def _tier_groups(axes: Axes, problems: Problems) -> dict[str, Group]:
    if problems.tiers in ([NO_TIER], []):
        return {}
    measures = [*axes.routing.metrics]
    measures += axes.calibrators[0].measures if axes.calibrators else ()
    measures += axes.commitment.metrics if axes.commitment else ()
    chosen = [measure for name in _TIER_METRICS for measure in measures if measure.name == name]
    tiers = np.array(problems.tier)
    return {
        TIER + tier: Group([measure.within(tiers == tier) for measure in chosen], "tier", tier)
        for tier in problems.tiers
    }


def estimate_groups(groups: Mapping[str, Group], how: Resampling) -> dict[str, Estimates]:
    """Estimates of every group, all from the same resampled problems."""
    labelled = [(m, g.subject, g.endpoint) for g in groups.values() for m in g.measures]
    found = iter(estimate_all(labelled, how))
    return {name: tuple(next(found) for _ in group.measures) for name, group in groups.items()}


def with_prefix(found: Mapping[str, Estimates], prefix: str) -> dict[str, Estimates]:
    """The groups of one kind by the rest of their name."""
    return {name.removeprefix(prefix): e for name, e in found.items() if name.startswith(prefix)}
