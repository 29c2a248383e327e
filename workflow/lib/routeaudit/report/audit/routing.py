"""Routing on the page: table 6, the counterfactuals of table 1 and the decomposition."""

from __future__ import annotations

import altair as alt
import pandas as pd
from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.report.audit.spelling import ends, estimate_table, pick, value
from routeaudit.report.audit.words import ROUTERS
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, html_table, number, numeric, signed


def section(result: AuditResult) -> Section:
    """Does the router select the right candidate, and would another rule have?"""
    parts = [
        paragraph(_reading(result)),
        estimate_table(result.routing, "Routing metrics with their denominators (the paper's table 6)."),
        _bounds(result),
        _router_chart(result),
        _router_table(result),
        folded(
            "Every rule against a random valid candidate, paired by block",
            estimate_table(
                result.versus_random,
                "Difference in expected success.",
                _versus,
                difference=True,
                first="rule",
            ),
        ),
    ]
    return Section("routing", "Routing", Markup("").join(parts))


def _versus(metric: str) -> str:
    rule = metric.removesuffix("_minus_random_valid")
    return ROUTERS.get(rule, rule)


def _reading(result: AuditResult) -> str:
    gap = pick(result.success, "gap_runtime_argmax")
    against = pick(result.versus_random, "runtime_argmax_minus_random_valid")
    if gap is None or against is None or gap.estimate != gap.estimate:
        return "No block could be routed, so routing cannot be judged."
    sign = "above" if against.estimate > 0 else "below" if against.estimate < 0 else "equal to"
    return (
        f"Over {count(int(gap.denominator))} routeable blocks the runtime selection succeeds "
        f"{number(100 * abs(against.estimate), 1)} points {sign} a random valid candidate "
        f"({ends(against)}), and {number(100 * gap.estimate, 1)} points below the oracle, "
        "which only needs a correct candidate to exist."
    )


def _bounds(result: AuditResult) -> Markup:
    if not result.label_bounds:
        return Markup("")
    rows = [{"name": k, "low": low, "high": high} for k, (low, high) in result.label_bounds.items()]
    columns = [Column("name", "metric"), numeric("low", "lowest"), numeric("high", "highest")]
    told = f"{count(result.counted.unlabelled)} candidates have no label."
    table = html_table(columns, rows, f"{told} Extremes of each metric over their labels.")
    return note(told + " They are left out above; their extremes are below.", "caution") + table


def _rule_name(result: AuditResult, rule: str) -> str:
    if rule == "runtime_argmax" and not result.counted.selection_logged:
        return "First-seen argmax (no selection logged)"
    return ROUTERS.get(rule, rule)


def _router_rows(result: AuditResult) -> list[dict[str, object]]:
    out = []
    for rule in result.rules:
        success, gap = pick(result.success, rule), pick(result.success, f"gap_{rule}")
        if success is not None:
            out.append(
                {
                    "rule": rule,
                    "name": _rule_name(result, rule),
                    "success": success.estimate,
                    "low": success.interval.lower if success.interval else None,
                    "high": success.interval.upper if success.interval else None,
                    "ends": ends(success),
                    "gap": None if gap is None else gap.estimate,
                    "gap_ends": ends(gap),
                    "blocks": success.denominator,
                }
            )
    return out


def _router_table(result: AuditResult) -> Markup:
    columns = [
        Column("name", "rule"),
        numeric("success", "expected success"),
        numeric("ends", "95 % interval", str),
        numeric("gap", "gap to oracle", signed),
        numeric("gap_ends", "95 % interval", str),
        numeric("blocks", "blocks", count),
    ]
    caption = (
        "Expected success of routing rules on the same blocks (the paper's table 1). Ties are averaged in "
        "closed form; fitted rules are cross-fitted by problem. No deliberation was rerun under another rule."
    )
    table = html_table(
        columns, _router_rows(result), caption, emphasis=lambda r: r["rule"] == "runtime_argmax"
    )
    refused = [f"{ROUTERS.get(rule, rule)}: {why.replace('_', ' ')}." for rule, why in result.refused.items()]
    return table + (note("Not fitted. " + " ".join(refused), "refused") if refused else Markup(""))


def _router_chart(result: AuditResult) -> Markup:
    rows = [r for r in _router_rows(result) if r["success"] == r["success"] and r["low"] is not None]
    if not rows:
        return Markup("")
    frame = pd.DataFrame(rows)
    order = frame.sort_values("success")["name"].tolist()
    base = alt.Chart(frame).encode(y=alt.Y("name:N", sort=order[::-1], title=None))
    bars = base.mark_rule(color=PALETTE[5]).encode(
        x=alt.X("low:Q", title="expected success per routeable block", scale=alt.Scale(zero=False)),
        x2="high:Q",
    )
    runtime = alt.condition("datum.rule == 'runtime_argmax'", alt.value(PALETTE[1]), alt.value(PALETTE[0]))
    dots = base.mark_circle(size=80, opacity=1).encode(x="success:Q", color=runtime)
    caption = "Expected success of each rule with 95 % intervals; the runtime selection stands out in colour."
    return figure((bars + dots).properties(width=440, height=24 * len(rows)), caption)


def decomposition(result: AuditResult) -> Section:
    """Where public success is lost: no correct candidate, not selected, or not spoken."""
    parts = [
        paragraph(
            "P(spoken correct) = availability × routing × commitment + P(wrong selection) × rescue, exactly, "
            "over the valid pairs."
        ),
        estimate_table(result.decomposition, "Factors of public success over the valid poll-speak pairs."),
    ]
    if (success := value(result.decomposition, "public_success")) is not None and success == success:
        parts.insert(0, paragraph(_losses(result)))
    return Section("decomposition", "Availability, routing, commitment", Markup("").join(parts))


def _losses(result: AuditResult) -> str:
    found = {e.metric: e.estimate for e in result.decomposition}
    a, r, k = found["availability"], found["routing"], found["commitment"]
    stages = {
        "no correct candidate existed": 1 - a,
        "it was not selected": a * (1 - r),
        "it was not spoken": a * r * (1 - k),
    }
    lost = ", ".join(f"{number(100 * v, 1)} % because {why}" for why, v in stages.items() if v == v)
    return f"Of all valid pairs, a correct answer was lost in {lost}."
