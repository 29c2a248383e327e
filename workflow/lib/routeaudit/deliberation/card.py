"""The Trace-Audit Card: what one audit measured, out of how much, and what it could not measure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import jsonschema

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.card_schema import CARD_VERSION, OPTIONAL_FIELDS, PROTOCOL_FIELDS, card_schema
from routeaudit.deliberation.commitment.axis import JudgePair
from routeaudit.errors import InputError
from routeaudit.inference.results import Estimate

_UNTOLD = "the trace does not say"


def finite(value: Any) -> Any:
    """The same JSON value with every NaN and infinity as null."""
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _metrics(estimates: Iterable[Estimate]) -> list[dict[str, Any]]:
    kept = (
        "metric",
        "estimate",
        "numerator",
        "denominator",
        "unit",
        "clusters",
        "interval",
        "flags",
        "reason",
    )
    return [{name: found[name] for name in kept} for found in (e.to_dict() for e in estimates)]


def _protocol(told: dict[str, Any]) -> dict[str, Any]:
    required = {name: told.get(name) or {"unknown": _UNTOLD} for name in PROTOCOL_FIELDS}
    return required | {name: told[name] for name in OPTIONAL_FIELDS if told.get(name)}


def _judge_pair(pair: JudgePair, interval: Iterable[Estimate]) -> dict[str, Any]:
    margins = [{**asdict(m), "holds": m.holds} for m in pair.margins]
    kappa = None if pair.agreement is None else asdict(pair.agreement)
    return {
        **asdict(pair.table),
        "kappa": None if kappa is None else kappa["kappa"],
        "kappa_estimate": _metrics(interval),
        "agreement": kappa,
        "margins": margins,
    }


def _judges(result: AuditResult) -> list[dict[str, Any]]:
    pairs = result.axis.judge_pairs if result.axis else ()
    return [_judge_pair(pair, result.kappas[pair.name]) for pair in pairs]


def cautions(result: AuditResult) -> list[str]:
    """What a reader must know before reading a number, in words."""
    counted, out = result.counted, [result.other_scale] if result.other_scale else []
    if not counted.selection_logged:
        out.append("Selections were not logged; the first-seen argmax of the scores stands in for them.")
    elif counted.selection_mismatches:
        out.append(
            f"In {counted.selection_mismatches} blocks the logged selection is not the first-seen argmax."
        )
    if counted.blocks_without_selection:
        out.append(f"{counted.blocks_without_selection} polled blocks selected nobody and are left out.")
    if not result.settings.validity.check_range:
        out.append("Scores outside the scale were counted as valid because the range check was switched off.")
    out += [finding.sentence for finding in result.findings]
    if result.totals.problems < 40:
        out.append(
            f"Only {result.totals.problems} problems: intervals use a t reference and are approximate."
        )
    for estimate in result.commitment:
        if estimate.metric == "incoherent_rate" and estimate.numerator:
            out.append(
                f"{estimate.numerator} pairs judged equivalent differ in correctness, so the unconditional "
                "shift depends on the divergence judge."
            )
    for pair in result.axis.judge_pairs if result.axis else ():
        out += [
            f"Judge {m.judge} reports {m.reported} divergent pairs, its confusion table implies {m.implied}."
            for m in pair.margins
            if not m.holds
        ]
    return out


def build_card(result: AuditResult) -> dict[str, Any]:
    """The card as JSON-ready data, validated against its own schema.

    Raises
    ------
    InputError : the trace's protocol fields do not fit the schema
    """
    card = {
        "card_version": CARD_VERSION,
        "evidential_status": result.meta.evidential_status,
        "protocol": _protocol(result.meta.protocol),
        "totals": asdict(result.totals),
        "invalid_polls": {k: v for k, v in asdict(result.counted).items() if k != "selection_logged"},
        "tiers": sorted(result.per_tier),
        "settings": asdict(result.settings),
        "metrics": {
            "routing": _metrics(result.routing),
            "success": _metrics([*result.success, *result.versus_random]),
            "calibration": {name: _metrics(found) for name, found in result.calibration.items()},
            "commitment": _metrics(result.commitment),
            "classes": _metrics(result.classes),
            "flags": _metrics(result.flags),
            "decomposition": _metrics(result.decomposition),
        },
        "per_tier": {tier: _metrics(found) for tier, found in result.per_tier.items()},
        "nulls": [asdict(null) for null in result.nulls],
        "judges": _judges(result),
        "recalibration": _recalibration(result),
        "label_bounds": {name: list(bounds) for name, bounds in result.label_bounds.items()},
        "not_measured": [{**asdict(gap), "metrics": list(gap.metrics)} for gap in result.gaps],
        "cautions": cautions(result),
        "data_digests": dict(result.digests),
    }
    clean: dict[str, Any] = finite(card)
    check_card(clean)
    return clean


def _recalibration(result: AuditResult) -> dict[str, Any]:
    return {
        c.name: {
            "fold_parameters": list(c.parameters),
            "noise_floor": c.noise_floor,
            "within_fold_auroc": c.within_fold_auroc,
            "murphy": None if c.murphy is None else asdict(c.murphy),
            "reason": c.reason,
        }
        for c in result.calibrators
    }


def check_card(card: dict[str, Any], where: str = "trace-audit card") -> None:
    """Validate a card.

    Raises
    ------
    InputError : the first violation, with its place in the card
    """
    validator = jsonschema.Draft202012Validator(card_schema())
    error = jsonschema.exceptions.best_match(validator.iter_errors(card))
    if error is not None:
        place = "/".join(str(part) for part in error.absolute_path) or "the card itself"
        raise InputError(
            f"{where}, {place}", "a card that its schema accepts", error.message[:300], "complete the field"
        )
