"""JSON schema of the Trace-Audit Card v0.1 (the paper's table 21, completed by statistics A20)."""

from __future__ import annotations

from typing import Any

CARD_VERSION = "0.1"

_NUMBER = {"type": ["number", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string", "minLength": 1}

_INTERVAL = {
    "type": "object",
    "required": ["lower", "upper", "level", "method", "engine"],
    "properties": {
        "lower": _NUMBER,
        "upper": _NUMBER,
        "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "method": _TEXT,
        "engine": _TEXT,
    },
}

_METRIC = {
    "type": "object",
    "required": ["metric", "estimate", "numerator", "denominator", "unit", "clusters", "interval", "reason"],
    "properties": {
        "metric": _TEXT,
        "estimate": _NUMBER,
        "numerator": {**_NUMBER, "description": "null where the statistic is no ratio"},
        "denominator": {**_COUNT, "description": "how many units the estimate is over"},
        "unit": _TEXT,
        "clusters": {**_COUNT, "description": "problems that contribute"},
        "interval": _INTERVAL,
        "reason": {"type": "string", "description": "why there is no estimate"},
    },
    "if": {"properties": {"estimate": {"type": "null"}}},
    "then": {"properties": {"reason": {"minLength": 1}}},
    "else": {"properties": {"denominator": {"minimum": 1}}},
}

_METRICS = {"type": "array", "items": {"$ref": "#/$defs/metric"}}

# A fact that the source does not tell is written as such, never left out or guessed.
_FACT = {
    "oneOf": [
        _TEXT,
        {"type": "number"},
        {"type": "array", "minItems": 1, "items": _TEXT},
        {
            "type": "object",
            "required": ["unknown"],
            "additionalProperties": False,
            "properties": {"unknown": _TEXT},
        },
    ]
}

PROTOCOL_FIELDS = {
    "protocol_name": "Short name of the deliberation protocol.",
    "protocol_version": "Version tag.",
    "agent_model": "Model id or ids; homogeneous or heterogeneous.",
    "routing_rule": "How the next speaker is chosen.",
    "tie_rule": "What decides between equal scores.",
    "schedule": "Rounds, turns and approval rounds.",
    "poll_schema": "What a poll must contain.",
    "memory_regime": "What of the public discussion later calls see.",
    "evaluator": "Who decides that the final answer passes.",
    "judges": "Who decides that two answers are equivalent.",
    "benchmark": "Where the problems come from.",
}
OPTIONAL_FIELDS = {
    "paper_of_record": "Citation of the protocol's definition.",
    "code_version": "Code that ran it.",
}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "required": sorted(required), "properties": required | (optional or {})}


def _protocol() -> dict[str, Any]:
    required = {name: {**_FACT, "description": text} for name, text in PROTOCOL_FIELDS.items()}
    optional = {name: {**_FACT, "description": text} for name, text in OPTIONAL_FIELDS.items()}
    return _object(required, optional)


def _gap() -> dict[str, Any]:
    metrics = {"type": "array", "minItems": 1, "items": _TEXT}
    return _object({"stage": _TEXT, "metrics": metrics, "reason": _TEXT})


def _null() -> dict[str, Any]:
    values = {"type": "object", "additionalProperties": _NUMBER}
    return _object({"construction": _TEXT, "repeats": _COUNT, "mean": values, "sd": values})


def _judges() -> dict[str, Any]:
    cells = dict.fromkeys(("dd", "de", "ed", "ee", "undecided"), _COUNT)
    margin = _object({"judge": _TEXT, "reported": _COUNT, "implied": _COUNT, "holds": {"type": "boolean"}})
    return _object(
        {"row_judge": _TEXT, "column_judge": _TEXT, "kappa": _NUMBER, **cells},
        {"margins": {"type": "array", "items": margin}},
    )


def card_schema() -> dict[str, Any]:
    """The whole schema, draft 2020-12."""
    groups = {"type": "object", "additionalProperties": _METRICS}
    counts = {"type": "object", "additionalProperties": {"type": ["integer", "null"], "minimum": 0}}
    settings = {"type": "object", "required": ["bins", "calibration_folds", "resamples", "level", "seed"]}
    metrics = _object(
        {"routing": _METRICS, "success": _METRICS, "calibration": groups, "commitment": _METRICS},
        {"classes": _METRICS, "flags": _METRICS, "decomposition": _METRICS},
    )
    required = {
        "card_version": {"const": CARD_VERSION},
        "evidential_status": _TEXT,
        "protocol": _protocol(),
        "totals": counts,
        "invalid_polls": counts,
        "tiers": {"type": "array", "items": _TEXT},
        "settings": settings,
        "metrics": metrics,
        "nulls": {"type": "array", "items": _null()},
        "not_measured": {"type": "array", "items": _gap()},
        "data_digests": {"type": "object", "minProperties": 1, "additionalProperties": _TEXT},
    }
    optional = {
        "label_bounds": {"type": "object"},
        "per_tier": groups,
        "judges": {"type": "array", "items": _judges()},
        "recalibration": {"type": "object"},
        "cautions": {"type": "array", "items": _TEXT},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Trace-Audit Card",
        "description": "Measurement properties of one deliberation protocol on one set of traces.",
        "$defs": {"metric": _METRIC},
        **_object(required, optional),
        "additionalProperties": False,
    }
