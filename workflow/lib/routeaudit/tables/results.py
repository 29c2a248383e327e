"""The result tables of a study: regret per task, scores, contrasts and criteria.

Their columns mirror the result objects of the statistics engine: an estimate always travels with its
numerator, denominator, unit and clusters; NaN becomes null beside a `reason`.
"""

from __future__ import annotations

import pyarrow as pa

from routeaudit.tables.schema import schema

_STR = pa.string()
_INT = pa.int64()
_FLOAT = pa.float64()
_BOOL = pa.bool_()
_STRS = pa.list_(pa.string())
_MAYBE_STR = (_STR, "null")
_MAYBE_INT = (_INT, "null")
_MAYBE_FLOAT = (_FLOAT, "null")
_MAYBE_BOOL = (_BOOL, "null")

# What the best reachable value of a task is taken over; only the first of them is an oracle.
BEST_OF_FAMILY, BEST_OF_UNION, BEST_OF_SAMPLE = "family", "union", "sample"

# Who a row of scores speaks about.
ROLE_POLICY, ROLE_SHORTCUT, ROLE_REFERENCE, ROLE_STUDY = "policy", "shortcut", "reference", "study"

FAMILY_PRIMARY, FAMILY_SECONDARY, FAMILY_PAIRWISE = "primary", "secondary", "pairwise"
VERDICT_PASS, VERDICT_FAIL, VERDICT_OPEN = "pass", "fail", "inconclusive"

# Other constructions of the same interval, and other tests of the same hypothesis.
_INTERVALS = pa.list_(
    pa.struct(
        [
            pa.field("method", _STR, False),
            pa.field("engine", _STR, False),
            pa.field("lower", _FLOAT),
            pa.field("upper", _FLOAT),
            pa.field("level", _FLOAT, False),
            pa.field("reason", _STR, False),
        ]
    )
)
_P_VALUES = pa.list_(
    pa.struct(
        [
            pa.field("method", _STR, False),
            pa.field("engine", _STR, False),
            pa.field("p", _FLOAT),
            pa.field("reason", _STR, False),
        ]
    )
)

# One row per task of every policy. `best` is the largest value of the task within `best_of`; where cells are
# missing or outside the support, value, best and regret are null and the bounds hold.
REGRET = schema(
    "regret",
    ("endpoint", "stack", "policy", "task_id"),
    endpoint=_STR,
    stack=_STR,
    policy=_STR,
    task_id=_STR,
    cluster_id=_STR,
    team_id=_STR,
    value=_MAYBE_FLOAT,
    best=_MAYBE_FLOAT,
    best_of=_STR,
    regret=_MAYBE_FLOAT,
    regret_lower=_FLOAT,
    regret_upper=_FLOAT,
    informative=_MAYBE_BOOL,
    n_workers=_INT,
    cost=_FLOAT,
)

_ESTIMATE = {
    "estimate": _MAYBE_FLOAT,
    "numerator": _MAYBE_FLOAT,
    "denominator": _FLOAT,
    "unit": _STR,
    "clusters": _INT,
    "lower": _MAYBE_FLOAT,
    "upper": _MAYBE_FLOAT,
    "level": _FLOAT,
    "method": _STR,
    "engine": _STR,
    "rule": _STR,
    "seed": _MAYBE_INT,
    "resamples": _MAYBE_INT,
    "companions": _INTERVALS,
    "bound_lower": _MAYBE_FLOAT,
    "bound_upper": _MAYBE_FLOAT,
    "n_eff": _MAYBE_INT,
    "status": _STR,
    "status_reasons": _STRS,
    "flags": _STRS,
    "reason": _STR,
}

# Levels: one row per statistic that scoring reports, `subject` and `metric` named as scoring names them.
SCORES = schema(
    "scores",
    ("endpoint", "stack", "subject", "metric"),
    endpoint=_STR,
    stack=_STR,
    subject=_STR,
    role=_STR,
    metric=_STR,
    **_ESTIMATE,
)

# Differences: mean value of `policy` minus mean value of `reference`, which equals the regret of `reference`
# minus the regret of `policy`. `metric` is value, or the name of an interaction of crossed stacks.
CONTRASTS = schema(
    "contrasts",
    ("family", "contrast", "endpoint", "stack", "metric"),
    family=_STR,
    contrast=_STR,
    policy=_STR,
    reference=_STR,
    endpoint=_STR,
    stack=_STR,
    metric=_STR,
    policy_value=_MAYBE_FLOAT,
    reference_value=_MAYBE_FLOAT,
    wins=_MAYBE_INT,
    losses=_MAYBE_INT,
    **_ESTIMATE,
    error=_MAYBE_FLOAT,
    detectable=_MAYBE_FLOAT,
    p=_MAYBE_FLOAT,
    p_method=_STR,
    p_engine=_STR,
    p_companions=_P_VALUES,
    adjusted=_BOOL,
    p_adjusted=_MAYBE_FLOAT,
    reject=_MAYBE_BOOL,
)

# Declared bars on regret. `point_verdict` compares the estimate itself (exact on a complete finite table),
# `verdict` the one-sided limits `lower` and `upper`, each of confidence `level`.
CRITERIA = schema(
    "criteria",
    ("criterion", "endpoint", "stack"),
    criterion=_STR,
    policy=_STR,
    endpoint=_STR,
    stack=_STR,
    at_most=_FLOAT,
    **_ESTIMATE,
    point_verdict=_MAYBE_STR,
    verdict=_STR,
)
