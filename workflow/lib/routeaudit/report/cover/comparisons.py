"""Declared contrasts with raw and adjusted p, and declared criteria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
from markupsafe import Markup

from routeaudit.cover.scoring.ranking import RANKED_FROM
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.cover.drawing import MARK_FIELDS, forest, legend, upright
from routeaudit.report.cover.spelling import (
    Row,
    difference,
    ends,
    level,
    method,
    remarks_below,
    share,
    status,
)
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import Tone, plain
from routeaudit.report.page import Section, badge, folded, note, paragraph
from routeaudit.report.tables import Column, html_table, number, numeric, p_value, percent
from routeaudit.tables import results

_DECLARED = (results.FAMILY_PRIMARY, results.FAMILY_SECONDARY)


def section(study: Study) -> Section:
    """The comparisons that were declared before outcomes existed."""
    rows = [row for row in study.contrasts if row["family"] in _DECLARED]
    if not rows:
        body = note("This study declared no comparison; its regrets are descriptive.")
        return Section("contrasts", "Declared comparisons", body)
    shown = _chart(study, rows) + _table(study, rows)
    if len(rows) >= RANKED_FROM:
        shown = paragraph(_counted(rows)) + folded(f"All {len(rows)} declared comparisons", shown)
    parts = [_introduction(rows), shown, _tests(study, rows)]
    return Section("contrasts", "Declared comparisons", Markup("").join(parts))


def _introduction(rows: list[Row]) -> Markup:
    primary = sum(row["family"] == results.FAMILY_PRIMARY for row in rows)
    return paragraph(
        "Each line is the mean value of the first router minus that of the second on the same tasks, which "
        "equals the regret of the second minus that of the first: above zero favours the first. Holm's "
        f"correction covers the {primary} primary {'test' if primary == 1 else 'tests'} and no other; "
        "secondary lines are unadjusted."
    )


def _counted(rows: list[Row]) -> str:
    """What many declared comparisons come to."""
    primary = [row for row in rows if row["family"] == results.FAMILY_PRIMARY]
    held = sum(bool(row["reject"]) for row in primary)
    known = sorted((row for row in rows if row["estimate"] is not None), key=lambda row: abs(row["estimate"]))
    told = f"Holm rejects {held} of {len(primary)} primary tests."
    if known:
        told += f" Closest: {_short(known[0])}. Widest: {_short(known[-1])}."
    return told


def _short(row: Row) -> str:
    return f"{row['policy']} over {row['reference']} {difference(row)} {ends(row)}"


def _chart(study: Study, rows: list[Row]) -> Markup:
    marks = [_mark(row, len(study.stacks) > 1) for row in _sorted(rows)]
    scale = alt.Scale(domain=["primary", "secondary"], range=[PALETTE[0], PALETTE[5]])
    colour = alt.Color("family:N", scale=scale, title=None, legend=legend())
    layers = [*forest(marks, "name", colour, "difference in mean value"), upright([{"at": 0}])]
    drawn = alt.layer(*layers).properties(width=560, height=max(34 * len(marks), 80))
    caption = (
        "Declared comparisons with their intervals; right of zero the first router of the pair is better."
    )
    return figure(drawn, caption, study.source("contrasts.parquet"))


def _sorted(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["family"], row["contrast"], row["stack"], row["metric"]))


def _mark(row: Row, several: bool) -> dict[str, Any]:
    stack = f" ({row['stack']})" if several else ""
    return {
        "name": f"{row['contrast']}{stack}",
        "family": row["family"],
        **{name: row[name] for name in MARK_FIELDS},
        "label": difference(row),
        "words": f"{row['policy']} minus {row['reference']}: {difference(row)} {ends(row)}",
    }


def _table(study: Study, rows: list[Row]) -> Markup:
    columns = [
        Column("pair", "router over reference"),
        *([Column("stack", "stack")] if len({row["stack"] for row in rows}) > 1 else []),
        *([Column("endpoint", "endpoint")] if _several_endpoints(study, rows) else []),
        numeric("levels", "values", str, "mean value of the router and of the reference"),
        numeric("difference", "difference", str),
        numeric("interval", "interval", str),
        numeric("wins", "better / worse", str, "tasks on which the router's value is higher / lower"),
        numeric("p", "raw p", p_value),
        numeric("adjusted", "adjusted p", str, "Holm over the primary family"),
        Column("status", "status"),
    ]
    table = html_table(
        columns,
        [_row(row) for row in _sorted(rows)],
        "Declared comparisons; bold where Holm rejects. A p-value of a retrospective line is nominal.",
        study.source("contrasts.parquet"),
        lambda row: bool(row["reject"]),
    )
    return table + remarks_below(_sorted(rows), "contrast")


def _several_endpoints(study: Study, rows: list[Row]) -> bool:
    return {(row["endpoint"], row["metric"]) for row in rows} != {(study.primary, "value")}


def _row(row: Row) -> dict[str, Any]:
    return {
        "pair": Markup("{} over {}<br><small>{}</small>").format(
            row["policy"], row["reference"], row["contrast"]
        ),
        "stack": row["stack"],
        "endpoint": plain(row["endpoint"]) if row["metric"] == "value" else plain(row["metric"]),
        "levels": f"{number(row['policy_value'])}, {number(row['reference_value'])}",
        "difference": difference(row),
        "interval": ends(row),
        "wins": f"{_whole(row['wins'])} / {_whole(row['losses'])}",
        "p": row["p"],
        "adjusted": p_value(row["p_adjusted"]) if row["adjusted"] else "unadjusted",
        "status": status(row["status"]),
        "reject": row["reject"],
    }


def _whole(value: int | None) -> str:
    return "–" if value is None else str(value)


def _tests(study: Study, rows: list[Row]) -> Markup:
    told = [each for row in _sorted(rows) for each in _methods(row)]
    columns = [
        Column("contrast", "comparison"),
        Column("what", "what"),
        Column("method", "method"),
        numeric("shown", "result", str),
    ]
    table = html_table(columns, told, "Every interval and test computed.", study.source("contrasts.parquet"))
    sizes = html_table(
        [
            Column("contrast", "comparison"),
            numeric("tasks", "tasks", str),
            numeric("clusters", "clusters", str),
            numeric("unequal", "tasks that differ", str),
            numeric("error", "standard error"),
            numeric("detectable", "detectable", help="difference found with 80 % power: 2.8 standard errors"),
        ],
        [
            {**row, "tasks": row["denominator"], "unequal": row["n_eff"]}
            for row in _sorted(rows)
        ],
        "What each comparison could have found.",
        study.source("contrasts.parquet"),
    )  # fmt: skip
    return folded("Methods, companion tests and detectable differences", table + sizes)


def _methods(row: Row) -> list[dict[str, Any]]:
    name = row["contrast"]
    found = [
        {
            "contrast": name,
            "what": f"{percent(row['level'], 0)} interval",
            "method": method(row),
            "shown": ends(row),
        }
    ]
    found += [
        {"contrast": name, "what": "companion interval", "method": f"{plain(i['method'])} ({i['engine']})",
         "shown": ends(i) if not i["reason"] else plain(i["reason"])}
        for i in row["companions"]
    ]  # fmt: skip
    found.append({"contrast": name, "what": "p", "method": f"{plain(row['p_method'])} ({row['p_engine']})",
                  "shown": p_value(row["p"])})  # fmt: skip
    found += [
        {"contrast": name, "what": "companion p", "method": f"{plain(p['method'])} ({p['engine']})",
         "shown": p_value(p["p"])}
        for p in row["p_companions"]
    ]  # fmt: skip
    return found


_TONES: Mapping[str, Tone] = {
    results.VERDICT_PASS: "good",
    results.VERDICT_FAIL: "bad",
    results.VERDICT_OPEN: "caution",
}


def criteria(study: Study) -> Section:
    """The declared bars, held against the estimate and against its one-sided limits."""
    if not study.criteria:
        return Section("criteria", "Criteria", note("This study declared no bar on regret."))
    columns = [
        Column("criterion", "criterion"),
        Column("policy", "router"),
        *([Column("stack", "stack")] if len(study.stacks) > 1 else []),
        numeric("at_most", "at most"),
        numeric("level", study.regime.regret_word, str),
        numeric("sum", "sum / tasks", str),
        Column("point", "by the estimate", help="is the regret found here at or below the bar?"),
        numeric("limits", "one-sided limits", str),
        Column(
            "verdict",
            "by the limits",
            help="pass: upper limit at or below the bar; fail: lower limit above it",
        ),
        Column("status", "status"),
    ]
    rows = [
        {**row, "level": level(row), "sum": share(row), "limits": ends(row), "status": status(row["status"]),
         "point": _badge(row["point_verdict"]), "verdict": _badge(row["verdict"])}
        for row in study.criteria
    ]  # fmt: skip
    said = paragraph(
        "A criterion was declared before outcomes. The estimate decides for these tasks; the one-sided "
        "limits decide for tasks of the same kind, and may leave it open however good the estimate is: few "
        "tasks cannot certify a low regret."
    )
    table = html_table(columns, rows, "Declared criteria.", study.source("criteria.parquet"))
    return Section("criteria", "Criteria", said + table + remarks_below(study.criteria, "criterion"))


def _badge(word: str | None) -> Markup:
    tone = _TONES.get(word or "", "plain")
    return badge(word or "not identified", tone)
