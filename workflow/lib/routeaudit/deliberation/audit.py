"""One audit of one set of traces: all axes, their intervals, and what could not be measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from routeaudit.deliberation.arrays import IntArray
from routeaudit.deliberation.calibration.axis import (
    Calibrator,
    cross_fitted,
    raw_calibrator,
    recalibrated,
)
from routeaudit.deliberation.calibration.crossfit import CrossFit
from routeaudit.deliberation.calibration.scores import Candidates
from routeaudit.deliberation.commitment.axis import CommitmentAxis, commitment_axis
from routeaudit.deliberation.commitment.pairs import PairTable, build_pairs, visible_candidates
from routeaudit.deliberation.dataset import Counted, Dataset, build_dataset
from routeaudit.deliberation.folds import problem_folds
from routeaudit.deliberation.gaps import Gap, find_gaps, unfitted
from routeaudit.deliberation.groups import (
    CALIBRATION,
    JUDGE,
    KAPPA,
    TIER,
    Axes,
    Estimates,
    estimate_groups,
    measure_groups,
    with_prefix,
)
from routeaudit.deliberation.honesty import findings
from routeaudit.deliberation.intervals import Resampling
from routeaudit.deliberation.linkage.logit import LogitFit
from routeaudit.deliberation.linkage.models import (
    adoption_model,
    correctness_model,
    divergence_model,
    linkage_models,
    trace_summary,
)
from routeaudit.deliberation.modes import ModeRow, mode_rows
from routeaudit.deliberation.nulls import (
    NullResult,
    expected_permuted_ctr,
    noisy_oracle_null,
    permutation_null,
)
from routeaudit.deliberation.other_scale import other_scale
from routeaudit.deliberation.routing.axis import routing_axis
from routeaudit.deliberation.routing.bounds import label_bounds
from routeaudit.deliberation.settings import AuditSettings
from routeaudit.deliberation.trace import Trace, TraceMeta
from routeaudit.errors import InputError
from routeaudit.inference.findings import Finding
from routeaudit.inference.streams import Stream
from routeaudit.tables import table_digest


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
    digests : content of each trace table; kappas : pair of judges -> Cohen's kappa
    other_scale : a caution, empty where the scores fit their scale
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
    kappas: dict[str, Estimates]
    axis: CommitmentAxis | None
    pair_exclusions: dict[str, int]
    per_tier: dict[str, Estimates]
    fits: tuple[LogitFit, ...]
    nulls: tuple[NullResult, ...]
    permuted_ctr: float
    modes: tuple[ModeRow, ...]
    label_bounds: dict[str, tuple[float, float]]
    gaps: tuple[Gap, ...]
    other_scale: str
    findings: tuple[Finding, ...]


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
    fits: dict[str, CrossFit] = {}
    calibrators: tuple[Calibrator, ...] = ()
    if m.candidates is not None:
        calibrators = (raw_calibrator(m.candidates, chosen),)
    if m.candidates is not None and m.problem_fold is not None:
        fits = cross_fitted(m.candidates, m.problem_fold)
        calibrators += tuple(recalibrated(m.candidates, fits, m.problem_fold, chosen))
    routing = routing_axis(m.data, m.candidates, m.problem_fold, fits, chosen)
    commitment = None if m.pairs is None else commitment_axis(m.pairs, m.data.blocks, trace)
    return _result(trace, chosen, digests, m, Axes(routing, calibrators, commitment))


def _result(
    trace: Trace, settings: AuditSettings, digests: dict[str, str], m: _Material, axes: Axes
) -> AuditResult:
    found = estimate_groups(measure_groups(axes, m.data.problems), m.how)
    return AuditResult(
        meta=trace.meta,
        settings=settings,
        totals=_totals(m),
        counted=m.data.counted,
        digests=digests,
        routing=found["routing"],
        success=found["success"],
        versus_random=found["versus_random"],
        rules=axes.routing.rules,
        refused=axes.routing.refused,
        calibrators=axes.calibrators,
        calibration=with_prefix(found, CALIBRATION),
        commitment=found.get("commitment", ()),
        classes=found.get("classes", ()),
        flags=found.get("flags", ()),
        decomposition=found.get("decomposition", ()),
        by_judge=with_prefix(found, JUDGE),
        kappas=with_prefix(found, KAPPA),
        axis=axes.commitment,
        pair_exclusions={} if m.pairs is None else m.pairs.excluded,
        per_tier=with_prefix(found, TIER),
        fits=_fits(trace, m),
        nulls=_nulls(m.data, settings),
        permuted_ctr=expected_permuted_ctr(m.data.blocks),
        modes=mode_rows(trace),
        label_bounds=_label_bounds(trace, settings, m.data.counted),
        gaps=_gaps(trace, m, axes),
        other_scale=other_scale(trace.polls["score_raw"].to_numpy(), trace.meta.score_scale),
        findings=findings(m.data),
    )


def _gaps(trace: Trace, m: _Material, axes: Axes) -> tuple[Gap, ...]:
    fits = {**axes.routing.refused, **{c.name: c.reason for c in axes.calibrators if c.reason}}
    found = find_gaps(trace, m.data, m.candidates is not None, m.problem_fold is not None, m.pairs)
    return found + unfitted(fits)


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
