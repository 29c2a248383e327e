"""A grid of audits: actors by benchmarks, the paper's tables 5 and 19."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt
import pandas as pd
from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.report.audit.spelling import value
from routeaudit.report.audit.words import ROUTERS
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.page import Page, Section
from routeaudit.report.tables import Column, count, html_table, number, numeric, signed

Cell = Callable[[AuditResult], Any]
_SHOWN_RULES = (
    "runtime_argmax",
    "random_valid",
    "majority_vote",
    "confidence_weighted_vote",
    "learned_router",
    "oracle",
)


def _calibration(name: str, metric: str) -> Cell:
    return lambda r: number(value(r.calibration.get(name, ()), metric))


def _success(rule: str) -> Cell:
    return lambda r: number(value(r.success, rule))


def _points(r: AuditResult) -> str:
    shift = value(r.commitment, "NPCS")
    return signed(None if shift is None else 100 * shift, 1)


def _rows() -> dict[str, Cell]:
    return {
        "Problems": lambda r: count(r.totals.problems),
        "Valid poll candidates": lambda r: count(r.totals.valid_candidates),
        "Candidate accuracy": _calibration("raw", "accuracy"),
        "Mean stated confidence": _calibration("raw", "mean_confidence"),
        "ECE raw": _calibration("raw", "ECE"),
        "ECE isotonic": _calibration("isotonic", "ECE"),
        "AUROC raw": _calibration("raw", "AUROC"),
        "PCCA": lambda r: number(value(r.routing, "PCCA")),
        **{f"Success: {ROUTERS[rule]}": _success(rule) for rule in _SHOWN_RULES},
        "PSDR": lambda r: number(value(r.commitment, "PSDR")),
        "Net commitment shift (points)": _points,
    }


def _told(result: AuditResult, field: str, fallback: str) -> str:
    found = result.meta.protocol.get(field) or fallback
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found)


def cell_name(result: AuditResult, folder: str) -> str:
    """Actor and benchmark of a cell, or its folder's name where the trace does not say."""
    actor, benchmark = _told(result, "agent_model", ""), _told(result, "benchmark", "")
    return f"{actor} · {benchmark}" if actor and benchmark else folder


def _names(results: Mapping[str, AuditResult]) -> dict[str, str]:
    """A name per cell; cells of the same actor and benchmark also carry their folder."""
    plain = {folder: cell_name(result, folder) for folder, result in results.items()}
    repeated = {name for name in plain.values() if list(plain.values()).count(name) > 1}
    return {folder: f"{name} ({folder})" if name in repeated else name for folder, name in plain.items()}


def grid_page(results: Mapping[str, AuditResult], links: Mapping[str, str]) -> Page:
    """Several audits side by side; ``links`` leads from a cell to its own page."""
    names = _names(results)
    columns = [Column("row", ""), *(numeric(folder, names[folder], str) for folder in results)]
    rows = [
        {"row": title, **{folder: spell(result) for folder, result in results.items()}}
        for title, spell in _rows().items()
    ]
    caption = (
        "Point estimates of the three axes over the grid (the paper's tables 5 and 19). Routing rows are "
        "success per routeable block; the shift is the unconditional poll-to-speak correctness shift."
    )
    pages = Markup("").join(
        Markup('<li><a href="{}">{}</a></li>').format(links[folder], names[folder]) for folder in results
    )
    sections = [
        Section("grid", "The grid", html_table(columns, rows, caption) + _chart(results, names)),
        Section("cells", "Cells", Markup("<ul>{}</ul>").format(pages)),
    ]
    return Page(
        title="Trace audits over a grid",
        kind="Trace audit",
        lead=f"{len(results)} cells, each audited alone. Differences between cells are descriptive.",
        sections=sections,
    )


def _chart(results: Mapping[str, AuditResult], names: Mapping[str, str]) -> Markup:
    rows = []
    for folder, result in results.items():
        for metric, found in (
            ("AUROC", value(result.calibration.get("raw", ()), "AUROC")),
            ("ECE", value(result.calibration.get("raw", ()), "ECE")),
            ("PCCA", value(result.routing, "PCCA")),
            ("PSDR", value(result.commitment, "PSDR")),
        ):
            if found is not None and found == found:
                rows.append({"cell": names[folder], "metric": metric, "value": found})
    if not rows:
        return Markup("")
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_circle(size=90, opacity=1, color=PALETTE[0])
        .encode(
            x=alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), title=None),
            y=alt.Y("cell:N", title=None, axis=alt.Axis(labelLimit=320)),
            column=alt.Column("metric:N", title=None),
        )
        .properties(width=150, height=max(40, 26 * len(results)))
    )
    return figure(chart, "Discrimination, calibration, within-block ranking and divergence by cell.")
