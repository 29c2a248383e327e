"""Tiers on the page: table 10 and figure 3."""

from __future__ import annotations

import altair as alt
import pandas as pd
from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.report.audit.spelling import pick
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.page import Section
from routeaudit.report.tables import Column, count, html_table, numeric, signed

SMALL = 10
_SHOWN = ("HRWP", "PCCA", "CTR", "PSDR", "NPCS_divergent", "ECE")


def section(result: AuditResult) -> Section | None:
    """Routing, commitment and calibration per tier; small tiers are marked."""
    if not result.per_tier:
        return None
    return Section("tiers", "By tier", _table(result) + _figure(result))


def _clusters(result: AuditResult, tier: str) -> int:
    return max((e.clusters for e in result.per_tier[tier]), default=0)


def _table(result: AuditResult) -> Markup:
    rows = []
    for tier, found in result.per_tier.items():
        problems = _clusters(result, tier)
        psdr = pick(found, "PSDR")
        rows.append(
            {
                "tier": f"{tier} *" if problems < SMALL else tier,
                "problems": problems,
                "pairs": None if psdr is None else psdr.denominator,
                **{e.metric: e.estimate for e in found},
            }
        )
    columns = [
        Column("tier", "tier"),
        numeric("problems", "problems", count),
        numeric("accuracy", "accuracy"),
        numeric("HRWP", "HRWP"),
        numeric("PCCA", "PCCA"),
        numeric("CTR", "CTR"),
        numeric("ECE", "ECE"),
    ]
    if result.commitment:
        columns += [
            numeric("PSDR", "PSDR"),
            numeric("NPCS_divergent", "NPCS given divergence", signed),
            numeric("pairs", "pairs", count),
        ]
    caption = (
        "Routing, commitment and calibration by tier (the paper's table 10). "
        f"A star marks tiers of fewer than {SMALL} problems."
    )
    return html_table(columns, rows, caption)


def _points(result: AuditResult, metric: str) -> list[dict[str, object]]:
    out: list[dict[str, object]] = []
    for tier, found in result.per_tier.items():
        estimate = pick(found, metric)
        if estimate is None or estimate.estimate != estimate.estimate:
            continue
        ends = estimate.interval
        out.append(
            {
                "tier": tier,
                "value": estimate.estimate,
                "low": None if ends is None or ends.reason else max(ends.lower, 0.0),
                "high": None if ends is None or ends.reason else min(ends.upper, 1.0),
                "size": "fewer than 10 problems"
                if _clusters(result, tier) < SMALL
                else "10 problems or more",
            }
        )
    return out


def _panel(
    result: AuditResult, metric: str, title: str, colour: str, reference: float | None
) -> alt.LayerChart:
    frame = pd.DataFrame(_points(result, metric), columns=["tier", "value", "low", "high", "size"])
    base = alt.Chart(frame).encode(x=alt.X("tier:O", title="tier", axis=alt.Axis(labelAngle=0)))
    scale = alt.Scale(domain=[0, 1])
    rules = base.mark_rule(color=colour, strokeWidth=1.5).encode(
        y=alt.Y("low:Q", scale=scale, title=title), y2="high:Q"
    )
    line = base.mark_line(color=colour).encode(y="value:Q")
    hollow = alt.condition("datum.size == 'fewer than 10 problems'", alt.value(0), alt.value(1))
    dots = base.mark_point(color=colour, fill=colour, size=70).encode(y="value:Q", fillOpacity=hollow)
    layers = [rules, line, dots]
    if reference is not None:
        floor = alt.Chart(pd.DataFrame({"y": [reference]})).mark_rule(strokeDash=[4, 4], color=PALETTE[5])
        layers.insert(0, floor.encode(y="y:Q"))
    layered: alt.LayerChart = alt.LayerChart(layer=layers, width=300, height=240)
    return layered


def _figure(result: AuditResult) -> Markup:
    left = _panel(result, "PCCA", "PCCA", PALETTE[0], 0.5)
    right = _panel(result, "ECE", "ECE, raw scores", PALETTE[1], None)
    caption = (
        "Rank against calibration by tier (the paper's figure 3). Left: PCCA, with the no-signal value "
        f"dashed. Right: ECE. Hollow points: fewer than {SMALL} problems. Lines are 95 % intervals."
    )
    return figure(alt.hconcat(left, right), caption)
