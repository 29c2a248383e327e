"""What an audit could not measure, and why: a missing stage refuses its metrics instead of inventing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.commitment.pairs import PairTable
from routeaudit.deliberation.dataset import NO_TIER, Dataset
from routeaudit.deliberation.linkage.models import problem_difficulty
from routeaudit.deliberation.trace import Trace


@dataclass(frozen=True)
class Gap:
    """Metrics that could not be measured because a stage is missing or unusable."""

    stage: str
    metrics: tuple[str, ...]
    reason: str


COMMITMENT = ("PSDR", "PSIR", "PSDRg", "NPCS", "NPCS_divergent", "primary classes", "match flags")


def _stage_gaps(trace: Trace, data: Dataset) -> list[Gap]:
    lacks = trace.meta.lacks
    out = []
    if trace.selections is None:
        why = lacks.get("selections", "the source logs no selection; the first-seen argmax stands in for it")
        out.append(Gap("selections", ("selection mismatches",), why))
    if data.blocks.answer is None:
        why = lacks.get("answers", "the source has no candidate answers")
        out.append(Gap("answers", ("majority_vote", "confidence_weighted_vote"), why))
    if trace.speaks is None:
        why = lacks.get("speaks", "the source has no speak stage")
        metrics = (*COMMITMENT, "decomposition", "divergence model", "adoption model", "outcome linkage")
        out.append(Gap("speaks", metrics, why))
    if trace.verdicts is None or trace.verdicts.num_rows == 0:
        why = lacks.get("verdicts", "no judge verdicts were recorded")
        out.append(Gap("verdicts", ("judge agreement", "commitment by judge"), why))
    if trace.outcomes is None:
        why = lacks.get("outcomes", "the source has no final outcomes")
        out.append(Gap("outcomes", ("outcome linkage", "modes and cost"), why))
    return out


def _problem_gaps(data: Dataset) -> list[Gap]:
    out = []
    if data.problems.tiers == [NO_TIER]:
        out.append(Gap("tiers", ("per-tier table", "per-tier figure"), "no problem has a tier"))
    if problem_difficulty(data.problems) is None:
        why = "difficulty is unknown and the tiers are not numbers"
        out.append(Gap("difficulty", ("interactions with difficulty", "tier_difficulty"), why))
    if not data.blocks.valid.any():
        out.append(
            Gap("candidates", ("all routing and calibration metrics",), "no poll is a valid candidate")
        )
    return out


def _pair_gaps(trace: Trace, pairs: PairTable | None) -> list[Gap]:
    if trace.speaks is None:
        return []
    if pairs is None:
        return [Gap("pairs", COMMITMENT, "no selected poll has a usable speak")]
    out = []
    if pairs.flags is None:
        out.append(Gap("matches", ("primary classes", "match flags"), "a divergent pair has no match flags"))
    return out


_REASONS = {"one_class": "a training fold holds one class only"}


def unfitted(reasons: Mapping[str, str]) -> tuple[Gap, ...]:
    """Gaps of fitted rules and maps that could not be fitted: name -> reason."""
    return tuple(Gap("fit", (name,), _REASONS.get(why, why)) for name, why in reasons.items())


def find_gaps(
    trace: Trace, data: Dataset, on_scale: bool, folded: bool, pairs: PairTable | None
) -> tuple[Gap, ...]:
    """All gaps; ``on_scale``: candidates lie on their scale, ``folded``: there are enough problems."""
    out = _stage_gaps(trace, data) + _problem_gaps(data) + _pair_gaps(trace, pairs)
    score = data.blocks.score[data.blocks.valid]
    if score.size and not on_scale:
        why = f"valid scores lie outside 0..{data.scale:g} ({np.min(score):g} to {np.max(score):g})"
        out.append(Gap("scores", ("ECE", "Brier", "AUROC", "recalibration"), why))
    if on_scale and not folded:
        out.append(Gap("folds", ("recalibration", "calibrated routers"), "fewer problems than folds"))
    return tuple(out)
