"""Rows of a crossed design: does a router's gain depend on the workers' or on the finalizer's model (A8)?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routeaudit.config.stack import is_played
from routeaudit.cover.evaluation.rows import Row, estimate_columns, finite
from routeaudit.cover.scoring.contrasts import Contrast, Scored
from routeaudit.cover.scoring.crossed import Effect, crossed_effects, crossed_gains
from routeaudit.cover.scoring.status import EvidentialStatus
from routeaudit.inference.plan import InferencePlan
from routeaudit.tables import canonical_json

CROSSED_STACK = "crossed"
METRICS = {
    "main": "main",
    "interaction_router_finalizer": "router_finalizer",
    "interaction_router_worker": "router_worker",
    "interaction_three_way": "three_way",
}
# The effects also come with an equivalence test, which the tables do not show.
_MARGIN = 0.05

Models = tuple[str, str]


def crossing(stacks: Mapping[str, Any]) -> dict[str, Models]:
    """Stack -> its worker's and finalizer's model, where four stacks cross two of each; else nothing.

    Parameters
    ----------
    stacks : the section ``stacks`` of a study's configuration
    """
    models = {
        name: (canonical_json(stack["worker"]["model"]), canonical_json(stack["finalizer"]["model"]))
        for name, stack in stacks.items()
        if not is_played(stack)
    }
    pairs = set(models.values())
    workers, finalizers = {w for w, _ in pairs}, {f for _, f in pairs}
    crossed = len(models) == len(pairs) == 4 and len(workers) == len(finalizers) == 2
    return models if crossed else {}


def crossed_rows(
    scored: Mapping[str, Scored],
    models: Mapping[str, Models],
    contrast: Contrast,
    plan: InferencePlan,
    status: EvidentialStatus,
) -> list[Row]:
    """Main effect and interactions of one declared contrast, unadjusted, as columns of CONTRASTS.

    Parameters
    ----------
    scored : the outcomes of the contrast's endpoint by stack
    models : stack -> worker's and finalizer's model, as `crossing` gives them
    """
    tables = {models[stack]: scored[stack] for stack in models}
    gains = crossed_gains(tables, contrast.policy, contrast.reference)
    effects = crossed_effects(gains, plan, _MARGIN, contrast.endpoint)
    return [
        {"metric": metric, "policy": contrast.policy, "reference": contrast.reference}
        | _effect_columns(effects[name], status)
        for metric, name in METRICS.items()
    ]


def _effect_columns(effect: Effect, status: EvidentialStatus) -> Row:
    return {
        "policy_value": None,
        "reference_value": None,
        "wins": None,
        "losses": None,
        **estimate_columns(effect.estimate, status),
        "error": None,
        "detectable": finite(effect.detectable),
        "p": finite(effect.p.p),
        "p_method": effect.p.method,
        "p_engine": effect.p.engine,
        "p_companions": [],
        "adjusted": False,
        "p_adjusted": None,
        "reject": None,
    }
