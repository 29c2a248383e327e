"""The Trace-Audit Card as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from routeaudit.report.audit.spelling import share
from routeaudit.report.audit.words import CALIBRATORS, ROUTERS, label
from routeaudit.report.page import Page, Section, note
from routeaudit.report.tables import Column, count, definitions, digest, html_table, interval, number, numeric

_GROUPS = {
    "routing": "Routing",
    "success": "Routing rules, expected success",
    "commitment": "Commitment",
    "classes": "Primary classes of divergent answers",
    "flags": "Match flags of divergent answers",
    "decomposition": "Availability, routing, commitment",
}


def card_page(card: Mapping[str, Any]) -> Page:
    """The card (already validated) as one page."""
    metrics = card["metrics"]
    sections = [
        Section(
            "protocol",
            "Protocol",
            definitions({k.replace("_", " "): _fact(v) for k, v in card["protocol"].items()}),
        ),
        Section("material", "Material", _material(card)),
        Section("missing", "Not measured", _missing(card)),
    ]
    body = Markup("").join(_table(metrics.get(group, []), title) for group, title in _GROUPS.items())
    body += Markup("").join(
        _table(found, f"Calibration: {CALIBRATORS.get(name, name)}")
        for name, found in metrics["calibration"].items()
    )
    sections.append(Section("metrics", "Metrics", body))
    return Page(
        title="Trace-Audit Card",
        kind=f"Version {card['card_version']} · evidential status: {card['evidential_status']}",
        lead="Measurement properties of one deliberation protocol on one set of traces. "
        "It describes neither a model nor a data set.",
        sections=sections,
        footer={f"{name} content": digest(value) for name, value in card["data_digests"].items()},
    )


def _fact(value: Any) -> Any:
    if isinstance(value, dict):
        return f"unknown ({value['unknown']})"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _material(card: Mapping[str, Any]) -> Markup:
    facts = {k.replace("_", " "): count(v) for k, v in {**card["totals"], **card["invalid_polls"]}.items()}
    parts = [definitions(facts)]
    parts += [note(caution, "caution") for caution in card.get("cautions", [])]
    return Markup("").join(parts)


def _missing(card: Mapping[str, Any]) -> Markup:
    rows = [{**gap, "metrics": ", ".join(gap["metrics"])} for gap in card["not_measured"]]
    if not rows:
        return note("Every metric of the card could be measured.")
    columns = [Column("stage", "missing"), Column("metrics", "metrics"), Column("reason", "why")]
    return html_table(columns, rows, "What could not be measured, and why.")


def _name(metric: str) -> str:
    plain = metric.removeprefix("gap_")
    if plain in ROUTERS:
        return ROUTERS[plain] if plain == metric else f"{ROUTERS[plain]}: gap to oracle"
    rule = metric.removesuffix("_minus_random_valid")
    return f"{ROUTERS[rule]} minus random valid" if rule in ROUTERS else label(metric).replace(":", ": ")


def _table(metrics: list[dict[str, Any]], title: str) -> Markup:
    if not metrics:
        return Markup("")
    rows = [
        {
            **m,
            "name": _name(m["metric"]),
            "ends": interval(m["interval"]["lower"], m["interval"]["upper"]),
            "method": m["interval"]["method"].replace("_", " "),
        }
        for m in metrics
    ]
    columns = [
        Column("name", "metric"),
        numeric("estimate", "estimate", number),
        numeric("ends", "interval", str),
        numeric("numerator", "numerator", share),
        numeric("denominator", "denominator", count),
        Column("unit", "unit"),
        numeric("clusters", "problems", count),
        Column("method", "interval by"),
    ]
    return html_table(columns, rows, f"{title}.")
