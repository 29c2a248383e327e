"""The routing axis of an audit: the metrics of table 6 and the counterfactual rules of table 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routeaudit.deliberation.arrays import FloatArray, IntArray
from routeaudit.deliberation.blocks import Blocks
from routeaudit.deliberation.calibration.crossfit import CrossFit, cross_fit
from routeaudit.deliberation.calibration.scores import Candidates
from routeaudit.deliberation.dataset import Dataset
from routeaudit.deliberation.folds import problem_folds
from routeaudit.deliberation.measures import Measure
from routeaudit.deliberation.routing.counterfactuals import (
    RuleSuccess,
    fixed_rules,
    paired_gaps,
    success_measures,
    top_predicted,
)
from routeaudit.deliberation.routing.learned import cross_fitted_probability, poll_features
from routeaudit.deliberation.routing.metrics import routing_measures, routing_sums
from routeaudit.deliberation.settings import AuditSettings


@dataclass(frozen=True)
class RoutingAxis:
    """Measures of the routing axis. ``refused`` says which rule could not be fitted, and why."""

    metrics: tuple[Measure, ...]
    success: tuple[Measure, ...]
    versus_random: tuple[Measure, ...]
    rules: tuple[str, ...]
    refused: dict[str, str]


def _spread(blocks: Blocks, predicted: FloatArray) -> FloatArray:
    """Values of the valid candidates at their rows (n,), -inf elsewhere."""
    out = np.full(len(blocks.score), -np.inf)
    out[blocks.valid] = predicted
    return out


def _learned(data: Dataset, settings: AuditSettings) -> tuple[RuleSuccess | None, str]:
    problems = data.problems
    if len(problems.uid) < settings.router_folds:
        return None, f"fewer problems than {settings.router_folds} folds"
    fold = problem_folds(problems.uid, problems.tier, settings.router_folds, settings.seed)
    features = poll_features(data.blocks, data.context)
    predicted, reason = cross_fitted_probability(features, data.blocks, fold)
    if reason:
        return None, reason
    text = "highest cross-fitted P(correct) from the poll stage, ties uniform"
    return top_predicted("learned_router", data.blocks, predicted, text), ""


def _calibrated(
    data: Dataset, candidates: Candidates, problem_fold: IntArray, pooled: CrossFit
) -> tuple[list[RuleSuccess], dict[str, str]]:
    """Argmax of isotonic scores. A pooled map can only merge scores; one map per agent can reorder agents."""
    by_agent = cross_fit("isotonic", candidates, problem_fold[candidates.cluster], by_agent=True)
    named = {
        "calibrated_argmax": (pooled, "highest cross-fitted isotonic score, ties uniform"),
        "calibrated_by_agent_argmax": (by_agent, "the same with one isotonic map per agent"),
    }
    rules = [
        top_predicted(name, data.blocks, _spread(data.blocks, fit.predicted), text)
        for name, (fit, text) in named.items()
        if not fit.reason
    ]
    return rules, {name: fit.reason for name, (fit, _) in named.items() if fit.reason}


def routing_axis(
    data: Dataset,
    candidates: Candidates | None,
    problem_fold: IntArray | None,
    fits: dict[str, CrossFit],
    settings: AuditSettings,
) -> RoutingAxis:
    """All routing measures; the calibrated rules need candidates on their scale and folds."""
    blocks = data.blocks
    rules = fixed_rules(blocks)
    refused: dict[str, str] = {}
    learned, reason = _learned(data, settings)
    if learned is None:
        refused["learned_router"] = reason
    else:
        rules.insert(-1, learned)
    if candidates is not None and problem_fold is not None:
        extra, why = _calibrated(data, candidates, problem_fold, fits["isotonic"])
        rules[-1:-1] = extra
        refused |= why
    return RoutingAxis(
        metrics=tuple(routing_measures(routing_sums(blocks))),
        success=tuple(success_measures(rules, blocks.cluster, blocks.n_clusters)),
        versus_random=tuple(paired_gaps(rules, "random_valid", blocks.cluster, blocks.n_clusters)),
        rules=tuple(rule.rule for rule in rules),
        refused=refused,
    )
