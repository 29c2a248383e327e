"""Regret and value of every policy beside the references."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
from markupsafe import Markup

from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.cover.drawing import MARK_FIELDS, chart, forest, legend, upright
from routeaudit.report.cover.headline import ranking
from routeaudit.report.cover.spelling import Row, ends, level, method, remarks_below, share, status
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain, sentence
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, html_table, interval, number, numeric

ROUTER, PRIVILEGED, ATTACKER = "router", "privileged router", "shortcut attacker"
_GROUPS = (ROUTER, PRIVILEGED, ATTACKER)
_COLOURS = (PALETTE[0], PALETTE[1], PALETTE[5])


def section(study: Study) -> Section:
    """Regret of each policy with its interval, one chart and table per stack."""
    parts = [_introduction(study)]
    for stack in study.stacks:
        parts += [Markup("<h3>Stack {}</h3>").format(stack)] if len(study.stacks) > 1 else []
        parts += [_chart(study, stack), _table(study, stack), _companions(study, stack)]
    title = f"{sentence(study.regime.regret_word)} per router"
    return Section("regret", title, Markup("").join(parts))


def group(study: Study, policy: str) -> str:
    """Which kind of policy this is, for colours."""
    if policy in study.shortcuts:
        return ATTACKER
    return PRIVILEGED if study.sees(policy) == "privileged" else ROUTER


def colours(study: Study) -> alt.Color:
    """The colour of each group of policies that the study has."""
    here = {group(study, policy) for policy in study.policies}
    shown = [(name, colour) for name, colour in zip(_GROUPS, _COLOURS, strict=True) if name in here]
    scale = alt.Scale(domain=[name for name, _ in shown], range=[colour for _, colour in shown])
    return alt.Color("group:N", scale=scale, title=None, legend=legend())


def _introduction(study: Study) -> Markup:
    regime = study.regime
    said = paragraph(
        Markup(
            "{} is the value of the {} of a task minus the value of the chosen team, averaged over tasks "
            "(endpoint <code>{}</code>); lower is better. Coverage is <code>{}</code>: executed were {}, "
            "which identifies {}."
        ).format(
            sentence(regime.regret_word),
            regime.best_word,
            study.primary,
            regime.name,
            regime.executed,
            regime.identified,
        )
    )
    if regime.name == "complete":
        return said + _finite(study)
    return said + note(
        "Absolute regret over the whole legal family is not identified here and is not shown. Union regret "
        "depends on the set of policies: do not compare it between studies."
        if regime.name == "route_union"
        else "Regret over the whole legal family is only bounded here; the bounds stand in the table.",
        "refused",
    )


def _finite(study: Study) -> Markup:
    """What is exact and what is not, under complete coverage."""
    rows = [row for stack in study.stacks for row in _ordered(study, stack)]
    if all(row["estimate"] is not None for row in rows):
        return paragraph(
            "On this finite benchmark the regret itself is exact. The interval says how far it may move for "
            "other tasks of the same kind, the frozen routes and the stack held fixed."
        )
    return note(
        "Cells are missing, so regrets that need them are bounded, not estimated; the interval then covers "
        "the bounds and the sampling of tasks.",
        "caution",
    )


def _chart(study: Study, stack: str) -> Markup:
    rows = [_mark(study, row) for row in _ordered(study, stack)]
    layers = forest(rows, "policy", colours(study), study.regime.regret_word) + _lines(study, stack)
    drawn = alt.layer(*layers).properties(width=600, height=max(34 * len(rows), 100))
    return figure(drawn, _chart_caption(study), study.source("scores.parquet"))


def _ordered(study: Study, stack: str) -> list[Row]:
    rows = [study.score(stack, policy, study.regime.regret) for policy in study.policies]
    return [row for row in rows if row]


def _mark(study: Study, row: Row) -> dict[str, Any]:
    return {
        "policy": row["subject"],
        "group": group(study, row["subject"]),
        **{name: row[name] for name in MARK_FIELDS},
        "label": level(row),
        "words": f"{row['subject']}: {level(row)} {ends(row)}, {plain(row['status'])}",
    }


def _lines(study: Study, stack: str) -> list[alt.Chart]:
    """Upright lines at what chance and the best fixed team would leave; only complete coverage knows them."""
    marks = references(study, stack)
    if not marks:
        return []
    words = chart(marks).mark_text(align="left", baseline="bottom", dx=3, fontSize=11, dy=-2)
    return [upright(marks), words.encode(x="at:Q", y=alt.value(0), text="words:N")]


def references(study: Study, stack: str) -> list[dict[str, Any]]:
    """Regret of a uniformly drawn legal team and of the best fixed team in hindsight, where identified."""
    top = study.score(stack, "oracle", "oracle_value").get("estimate")
    if study.regime.name != "complete" or top is None:
        return []
    found = [{"at": top - mean_team_value(study, stack), "words": "a legal team at random"}]
    headroom = study.score(stack, "family", "headroom").get("estimate")
    if headroom is not None:
        found.append({"at": headroom, "words": "best fixed team in hindsight"})
    apart = abs(found[0]["at"] - found[-1]["at"]) if len(found) > 1 else 1.0
    return found if apart > 0.08 else [{"at": found[0]["at"], "words": "a random or the best fixed team"}]


def mean_team_value(study: Study, stack: str) -> float:
    """What a uniformly drawn legal team gets on average; NaN unless every cell has an outcome."""
    rows = study.outcomes
    rows = rows[(rows["endpoint"] == study.primary) & (rows["stack"] == stack)]
    if study.regime.name != "complete" or rows["value"].isna().any():
        return math.nan
    return float(rows.groupby("task_id")["value"].mean().mean())


def _chart_caption(study: Study) -> str:
    best = study.regime.best_word
    return (
        f"{sentence(study.regime.regret_word)} on {plain(study.primary)}: point and confidence interval; "
        f"zero is the {best}. Pale bars are sharp bounds where missing cells leave the value unidentified."
    )


def _table(study: Study, stack: str) -> Markup:
    rows = [_policy_row(study, stack, row) for row in _ordered(study, stack)] + _reference_rows(study, stack)
    columns = [
        Column("policy", "router"),
        Column("status", "status"),
        numeric("value", "value", str, f"mean {study.primary} of the chosen teams"),
        numeric("regret", study.regime.regret_word, str),
        numeric("interval", "interval", str),
        numeric("sum", "sum / tasks", str, "summed regret and number of tasks"),
        numeric("captured", "headroom captured", str, "share of oracle minus best fixed team")
        if study.regime.name == "complete"
        else numeric(
            "whole", "bounds, whole family", str, "sharp bounds on regret over the whole legal family"
        ),
        numeric("workers", "workers", str, "mean number of workers in the chosen team"),
    ]
    caption = f"{sentence(study.regime.regret_word)} and value of every router on {plain(study.primary)}."
    best = {row["subject"] for row in ranking(study, stack)[:1]}
    table = html_table(
        columns, rows, caption, study.source("scores.parquet"), lambda row: row["policy"] in best
    )
    return table + remarks_below(_ordered(study, stack), "subject")


def _policy_row(study: Study, stack: str, row: Row) -> dict[str, Any]:
    policy = row["subject"]
    return {
        "policy": policy,
        "status": status(row["status"]),
        "value": level(study.score(stack, policy, "value")),
        "regret": level(row),
        "interval": ends(row),
        "sum": share(row),
        "captured": level(study.score(stack, policy, "headroom_captured")),
        "whole": level(study.score(stack, policy, "regret")),
        "workers": number(_workers(study, stack, policy), 2),
    }


def _workers(study: Study, stack: str, policy: str) -> float:
    rows = study.regret
    chosen = rows[(rows["policy"] == policy) & (rows["stack"] == stack) & (rows["endpoint"] == study.primary)]
    return float(chosen["n_workers"].mean())


def _reference_rows(study: Study, stack: str) -> list[dict[str, Any]]:
    reached = study.score(stack, "oracle", study.regime.best)
    rows = [_reference(study.regime.best_word, level(reached), "0.000")]
    top = reached.get("estimate")
    if study.regime.name != "complete" or top is None:
        return rows
    fixed = study.scored(stack, "best_fixed_value")
    for row in fixed:
        left = study.score(stack, "family", "headroom")
        rows.append(_reference(f"best fixed team in hindsight ({row['subject']})", level(row), level(left)))
    if not len(fixed):
        rows.append(_reference("best fixed team in hindsight: no team is legal in every task", "–", "–"))
    mean = mean_team_value(study, stack)
    rows.append(_reference("a legal team at random, expected", number(mean), number(top - mean)))
    return rows


def _reference(name: str, value: str, regret: str) -> dict[str, Any]:
    words = dict.fromkeys(("interval", "sum", "captured", "whole", "workers"), "–")
    return {
        "policy": Markup("<em>{}</em>").format(name),
        "value": value,
        "regret": regret,
        "status": "",
        **words,
    }


def _companions(study: Study, stack: str) -> Markup:
    """Which construction each interval has, and what the others say."""
    rows = []
    for row in _ordered(study, stack):
        rows.append({"policy": row["subject"], "method": method(row), "interval": ends(row), "use": "shown"})
        rows += [
            {
                "policy": row["subject"],
                "method": plain(other["method"]),
                "interval": interval(other["lower"], other["upper"]),
                "use": plain(other["reason"]) if other["reason"] else "companion",
            }
            for other in row["companions"]
        ]
    columns = [Column("policy", "router"), Column("method", "method"), numeric("interval", "interval", str),
               Column("use", "use")]  # fmt: skip
    table = html_table(
        columns, rows, "Intervals of regret by every method computed.", study.source("scores.parquet")
    )
    return folded("How the intervals were made, and what other constructions say", table)
