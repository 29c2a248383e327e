"""Estimates as table rows, so that no number stands on a page without its denominator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from routeaudit.inference.results import Estimate
from routeaudit.report.audit.words import label
from routeaudit.report.tables import Column, count, html_table, interval, number, numeric, signed

Row = dict[str, Any]


def share(value: float | int | None) -> str:
    """A numerator: whole where it is a count."""
    if value is None or value != value:
        return "–"
    return count(int(value)) if float(value).is_integer() else number(float(value), 2)


def ends(estimate: Estimate | None, digits: int = 3) -> str:
    """The interval of an estimate."""
    found = None if estimate is None else estimate.interval
    return interval(None, None) if found is None else interval(found.lower, found.upper, digits)


def row(estimate: Estimate, name: str) -> Row:
    """One estimate as a row."""
    return {
        "name": name,
        "estimate": estimate.estimate,
        "ends": ends(estimate),
        "numerator": estimate.numerator,
        "denominator": estimate.denominator,
        "unit": estimate.unit,
        "clusters": estimate.clusters,
        "note": estimate.reason.replace("_", " "),
    }


def estimate_table(
    estimates: Sequence[Estimate],
    caption: str,
    naming: Callable[[str], str] = label,
    difference: bool = False,
    first: str = "metric",
) -> Markup:
    """A table of estimates with interval, numerator, denominator, unit and problems."""
    rows = [row(e, naming(e.metric)) for e in estimates]
    columns = [
        Column("name", first),
        numeric("estimate", "estimate", signed if difference else number),
        numeric("ends", "95 % interval", str),
        numeric("numerator", "numerator", share),
        numeric("denominator", "denominator", count),
        Column("unit", "unit"),
        numeric("clusters", "problems", count, "problems that contribute; the interval resamples them"),
    ]
    if any(found["note"] for found in rows):
        columns.append(Column("note", "why not"))
    return html_table(columns, rows, caption)


def pick(estimates: Sequence[Estimate], metric: str) -> Estimate | None:
    """The estimate of one metric, or None."""
    return next((e for e in estimates if e.metric == metric), None)


def value(estimates: Sequence[Estimate], metric: str) -> float | None:
    """The number of one metric, or None."""
    found = pick(estimates, metric)
    return None if found is None else found.estimate
