"""One audit of one set of traces: all axes, their intervals, and what could not be measured."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from routeaudit.deliberation.arrays import IntArray
from routeaudit.deliberation.calibration.axis import (
    Calibrator,
    cross_fitted,
    raw_calibrator,
    recalibrated,
)
from routeaudit.deliberation.calibration.scores import Candidates
from routeaudit.deliberation.commitment.axis import CommitmentAxis, commitment_axis
from routeaudit.deliberation.commitment.pairs import PairTable, build_pairs, visible_candidates
from routeaudit.deliberation.dataset import NO_TIER, Counted, Dataset, build_dataset
from routeaudit.deliberation.folds import problem_folds
from routeaudit.deliberation.gaps import Gap, find_gaps
from routeaudit.deliberation.intervals import Resampling, estimate_all
from routeaudit.deliberation.linkage.logit import LogitFit
from routeaudit.deliberation.linkage.models import (
    adoption_model,
    correctness_model,
    divergence_model,
    linkage_models,
    trace_summary,
)
from routeaudit.deliberation.measures import Measure
from routeaudit.deliberation.modes import ModeRow, mode_rows
from routeaudit.deliberation.nulls import (
    NullResult,
    expected_permuted_ctr,
    noisy_oracle_null,
    permutation_null,
)
from routeaudit.deliberation.routing.axis import RoutingAxis, routing_axis
from routeaudit.deliberation.routing.bounds import label_bounds
from routeaudit.deliberation.settings import AuditSettings
from routeaudit.deliberation.trace import Trace, TraceMeta
from routeaudit.errors import InputError
from routeaudit.inference.results import Estimate
from routeaudit.inference.streams import Stream
from routeaudit.tables import table_digest

ALL = "all"
Estimates = tuple[Estimate, ...]


@dataclass(frozen=True)
class Totals:
    """Sizes of the audited material."""

    problems: int
    traces: int
    blocks: int
    polls: int
    valid_candidates: int
    pairs: int | None
    agents: int


@dataclass(frozen=True)
class AuditResult:
    """Everything an audit found; each group of estimates is empty where it could not be measured.

    per_tier : tier -> estimates; label_bounds : metric -> extremes over the labels of unlabelled candidates
    tables : digests of the trace tables
    """

    meta: TraceMeta
    settings: AuditSettings
    totals: Totals
    counted: Counted
    digests: dict[str, str]
    routing: Estimates
    success: Estimates
    versus_random: Estimates
    rules: tuple[str, ...]
    refused: dict[str, str]
    calibrators: tuple[Calibrator, ...]
    calibration: dict[str, Estimates]
    commitment: Estimates
    classes: Estimates
    flags: Estimates
    decomposition: Estimates
    by_judge: dict[str, Estimates]
    axis: CommitmentAxis | None
    pair_exclusions: dict[str, int]
    per_tier: dict[str, Estimates]
    fits: tuple[LogitFit, ...]
    nulls: tuple[NullResult, ...]
    permuted_ctr: float
    modes: tuple[ModeRow, ...]
    label_bounds: dict[str, tuple[float, float]]
    gaps: tuple[Gap, ...]

    def estimate(self, group: Sequence[Estimate], metric: str) -> Estimate | None:
        """The estimate of one metric in a group, or None."""
        return next((e for e in group if e.metric == metric), None)


@dataclass(frozen=True)
class _Material:
    """The trace as arrays, with what later stages share."""

    data: Dataset
    candidates: Candidates | None
    problem_fold: IntArray | None
    pairs: PairTable | None
    how: Resampling


def trace_digests(trace: Trace) -> dict[str, str]:
    """sha256 of every recorded table's content."""
    return {name: table_digest(table) for name, table in trace.tables().items()}


def _material(trace: Trace, settings: AuditSettings, digests: dict[str, str]) -> _Material:
    data = build_dataset(trace, settings.validity)
    joined = hashlib.sha256("".join(digests[name] for name in sorted(digests)).encode()).hexdigest()
    how = Resampling(Stream(settings.seed, joined), settings.resamples, settings.level)
    try:
        candidates: Candidates | None = data.candidates()
    except InputError:
        candidates = None
    if candidates is not None and len(candidates.correct) == 0:
        candidates = None
    problems = data.problems
    enough = len(problems.uid) >= settings.calibration_folds
    fold = (
        problem_folds(problems.uid, problems.tier, settings.calibration_folds, settings.seed)
        if candidates is not None and enough
        else None
    )
    pairs = None if trace.speaks is None else build_pairs(data, trace)
    if pairs is not None and len(pairs.block) == 0:
        pairs = None
    return _Material(data, candidates, fold, pairs, how)


def run_audit(trace: Trace, settings: AuditSettings | None = None) -> AuditResult:
    """Audit a trace.

    Raises
    ------
    InputError : the trace contradicts itself (see ``build_dataset``)
    """
    chosen = settings or AuditSettings()
    digests = trace_digests(trace)
    m = _material(trace, chosen, digests)
    fits = (
        cross_fitted(m.candidates, m.problem_fold, chosen)
        if m.candidates is not None and m.problem_fold is not None
        else {}
    )
    routing = routing_axis(m.data, m.candidates, m.problem_fold, fits, chosen)
    calibrators: tuple[Calibrator, ...] = ()
    if m.candidates is not None:
        calibrators = (raw_calibrator(m.candidates, chosen),)
        if m.problem_fold is not None:
            calibrators += tuple(recalibrated(m.candidates, fits, m.problem_fold, chosen))
    axis = None if m.pairs is None else commitment_axis(m.pairs, m.data.blocks, trace)
    return _result(trace, chosen, digests, m, routing, calibrators, axis)


def _result(
    trace: Trace,
    settings: AuditSettings,
    digests: dict[str, str],
    m: _Material,
    routing: RoutingAxis,
    calibrators: tuple[Calibrator, ...],
    axis: CommitmentAxis | None,
) -> AuditResult:
    def infer(measures: Sequence[Measure], endpoint: str, subject: str = ALL) -> Estimates:
        return tuple(estimate_all(measures, m.how, subject, endpoint))

    return AuditResult(
        meta=trace.meta,
        settings=settings,
        totals=_totals(m),
        counted=m.data.counted,
        digests=digests,
        routing=infer(routing.metrics, "poll"),
        success=infer(routing.success, "poll"),
        versus_random=infer(routing.versus_random, "poll"),
        rules=routing.rules,
        refused=routing.refused,
        calibrators=calibrators,
        calibration={c.name: infer(c.measures, "poll") for c in calibrators},
        commitment=infer(axis.metrics, "speak") if axis else (),
        classes=infer(axis.classes, "speak") if axis else (),
        flags=infer(axis.flags, "speak") if axis else (),
        decomposition=infer(axis.decomposition, "speak") if axis else (),
        by_judge={j: infer(ms, "speak", j) for j, ms in axis.by_judge.items()} if axis else {},
        axis=axis,
        pair_exclusions={} if m.pairs is None else m.pairs.excluded,
        per_tier=_per_tier(m, routing, calibrators, axis),
        fits=_fits(trace, m),
        nulls=_nulls(m.data, settings),
        permuted_ctr=expected_permuted_ctr(m.data.blocks),
        modes=mode_rows(trace),
        label_bounds=_label_bounds(trace, settings, m.data.counted),
        gaps=find_gaps(trace, m.data, m.candidates is not None, m.problem_fold is not None, m.pairs),
    )


def _totals(m: _Material) -> Totals:
    blocks = m.data.blocks
    return Totals(
        problems=len(m.data.problems.uid),
        traces=int(m.data.keys["trace"].nunique()),
        blocks=blocks.n_blocks,
        polls=len(blocks.score),
        valid_candidates=int(blocks.valid.sum()),
        pairs=None if m.pairs is None else len(m.pairs.block),
        agents=len(m.data.agents),
    )


_TIER_METRICS = ("CRA", "HRWP", "MCR", "PCCA", "CTR", "PSDR", "NPCS_divergent", "NPCS", "ECE", "accuracy")


def _per_tier(
    m: _Material,
    routing: RoutingAxis,
    calibrators: tuple[Calibrator, ...],
    axis: CommitmentAxis | None,
) -> dict[str, Estimates]:
    problems = m.data.problems
    if problems.tiers in ([NO_TIER], []):
        return {}
    measures = [
        *routing.metrics,
        *(calibrators[0].measures if calibrators else ()),
        *(axis.metrics if axis else ()),
    ]
    chosen = [measure for name in _TIER_METRICS for measure in measures if measure.name == name]
    tiers = np.array(problems.tier)
    return {
        tier: tuple(estimate_all([c.within(tiers == tier) for c in chosen], m.how, tier, "tier"))
        for tier in problems.tiers
    }


def _fits(trace: Trace, m: _Material) -> tuple[LogitFit, ...]:
    fits = [correctness_model(m.data)] if m.candidates is not None else []
    if m.pairs is not None:
        fits.append(divergence_model(m.data, m.pairs))
        fits.append(adoption_model(visible_candidates(m.data, trace, m.pairs)))
        if trace.outcomes is not None:
            fits += linkage_models(trace_summary(m.data, m.pairs, trace))
    return tuple(fits)


def _nulls(data: Dataset, settings: AuditSettings) -> tuple[NullResult, ...]:
    rng = np.random.default_rng([settings.seed, 18])
    permutation = permutation_null(data.blocks, rng, settings.permutations)
    oracles = [noisy_oracle_null(data.blocks, s, rng, settings.oracle_repeats) for s in settings.sigmas]
    return (permutation, *oracles)


def _label_bounds(trace: Trace, settings: AuditSettings, counted: Counted) -> dict[str, tuple[float, float]]:
    if not counted.unlabelled:
        return {}
    wrong, right = (
        build_dataset(trace, replace(settings.validity, unlabelled_as=label)).blocks
        for label in (False, True)
    )
    return label_bounds(wrong, right.correct & ~wrong.correct)
