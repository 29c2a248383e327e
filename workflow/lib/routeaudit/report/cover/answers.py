"""Raw answers beside verified ones, and the shortcut between them."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
from markupsafe import Markup

from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.cover.drawing import chart, legend
from routeaudit.report.cover.spelling import ends, level, status
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.teams import team_rows
from routeaudit.report.cover.words import ENDPOINTS, plain
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, definitions, html_table, number, numeric

RAW, VERIFIED = "answer_exact", "answer_verified"


def section(study: Study) -> Section:
    """Every endpoint by router and by kind of team; where both are graded, what raw answers hide."""
    parts = [_meanings(study)]
    for stack in study.stacks:
        parts += [Markup("<h3>Stack {}</h3>").format(stack)] if len(study.stacks) > 1 else []
        parts.append(_by_router(study, stack))
        parts.append(_by_team(study, stack))
    return Section(
        "endpoints", "Raw and verified answers" if _both(study) else "Endpoints", Markup("").join(parts)
    )


def _both(study: Study) -> bool:
    return {RAW, VERIFIED} <= set(study.endpoints)


def _meanings(study: Study) -> Markup:
    words = {plain(endpoint): ENDPOINTS.get(endpoint, "") for endpoint in study.endpoints}
    return folded("What each endpoint counts", definitions(words), opened=len(study.endpoints) <= 3)


def _by_router(study: Study, stack: str) -> Markup:
    rows = [
        {
            "policy": policy,
            "status": status(study.score(stack, policy, "value").get("status", "descriptive")),
            **{f"{e}": _value_and_regret(study, stack, policy, e) for e in study.endpoints},
        }
        for policy in study.policies
    ]
    columns = [Column("policy", "router"), Column("status", "status")]
    columns += [
        numeric(endpoint, plain(endpoint), str, ENDPOINTS.get(endpoint, "")) for endpoint in study.endpoints
    ]
    caption = (
        f"Mean value and, after the stroke, {study.regime.regret_word} of every router on every endpoint."
    )
    return html_table(columns, rows, caption, study.source("scores.parquet")) + _intervals(study, stack)


def _value_and_regret(study: Study, stack: str, policy: str, endpoint: str) -> str:
    value = level(study.score(stack, policy, "value", endpoint))
    return f"{value} / {level(study.score(stack, policy, study.regime.regret, endpoint))}"


def _intervals(study: Study, stack: str) -> Markup:
    rows = [
        {"endpoint": plain(endpoint), "policy": policy, "value": level(value), "value_ends": ends(value),
         "regret": level(regret), "regret_ends": ends(regret)}
        for endpoint in study.endpoints
        for policy in study.policies
        for value in [study.score(stack, policy, "value", endpoint)]
        for regret in [study.score(stack, policy, study.regime.regret, endpoint)]
    ]  # fmt: skip
    columns = [
        Column("endpoint", "endpoint"),
        Column("policy", "router"),
        numeric("value", "value", str),
        numeric("value_ends", "interval", str),
        numeric("regret", study.regime.regret_word, str),
        numeric("regret_ends", "interval", str),
    ]
    table = html_table(columns, rows, "Every endpoint with its intervals.", study.source("scores.parquet"))
    return folded("Intervals on every endpoint", table)


def by_holding(study: Study, stack: str) -> pd.DataFrame:
    """Mean of each endpoint by which required workers a team holds: held, rank, endpoint, mean, cells."""
    cells = study.outcomes[study.outcomes["stack"] == stack]
    merged = cells.merge(
        team_rows(study).frame[["task_id", "team_id", "held", "rank"]], on=["task_id", "team_id"]
    )
    return merged.groupby(["rank", "held", "endpoint"], as_index=False).agg(
        mean=("value", "mean"), cells=("value", "count")
    )


def _by_team(study: Study, stack: str) -> Markup:
    if not study.has("private/answers.parquet"):
        return Markup("")
    means = by_holding(study, stack)
    said = _shortcut(study, means) if _both(study) else Markup("")
    return said + _team_chart(study, means) + _team_table(study, means)


def _shortcut(study: Study, means: pd.DataFrame) -> Markup:
    """How often teams that lack required evidence are answered right all the same."""
    raw = means[(means["endpoint"] == RAW) & (means["rank"] > 1) & (means["cells"] > 0)]
    if raw.empty:
        return note(
            "Only teams that hold all required workers were executed, so the shortcut cannot be seen here."
        )
    worst = raw.sort_values("mean").iloc[-1]
    gold = means[(means["endpoint"] == RAW) & (means["rank"] <= 1)]
    verified = means[(means["endpoint"] == VERIFIED) & (means["held"] == worst["held"])]
    full = number(float(gold["mean"].mean())) if not gold.empty else "–"
    right = number(float(worst["mean"]))
    kept = number(float(verified["mean"].iloc[0])) if not verified.empty else "–"
    if not worst["mean"] > 0:
        return paragraph("No team that lacks required evidence was answered exactly.")
    return paragraph(
        Markup(
            "A right answer is no proof of a right team. Teams with all required workers answer exactly on "
            "{} of their cells; teams with <em>{}</em> still do on {} of their {} cells: there the "
            "finalizer guesses from part of the evidence. <code>{}</code> also asks that every required "
            "unit was quoted from the worker's own passages; there the same teams get {}. Where that gap is "
            "wide, raw regret is small beside verified regret, whatever the router does."
        ).format(full, worst["held"], right, count(int(worst["cells"])), VERIFIED, kept)
    )


def _team_chart(study: Study, means: pd.DataFrame) -> Markup:
    shown = [endpoint for endpoint in (VERIFIED, RAW, study.primary) if endpoint in study.endpoints]
    part = means[means["endpoint"].isin(shown)].sort_values("rank")
    rows = [
        {"held": row.held, "endpoint": plain(str(row.endpoint)), "mean": row.mean_,
         "words": f"{row.held}, {plain(str(row.endpoint))}: {row.mean_:.3f} over {row.cells} cells"}
        for row in part.rename(columns={"mean": "mean_"}).itertuples()
    ]  # fmt: skip
    order = list(dict.fromkeys(part["held"]))
    names = [plain(endpoint) for endpoint in dict.fromkeys(shown)]
    scale = alt.Scale(domain=names, range=[PALETTE[0], PALETTE[1], PALETTE[2]][: len(names)])
    drawn = chart(rows).mark_bar(height=13).encode(
        y=alt.Y("held:N", sort=order, title=None),
        yOffset=alt.YOffset("endpoint:N", sort=names),
        x=alt.X("mean:Q", title="mean over executed cells", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("endpoint:N", scale=scale, title=None, legend=legend()),
        description="words:N",
    )  # fmt: skip
    caption = "Mean outcome by which required workers a team holds."
    sized = drawn.properties(width=540, height=max(20 * len(order) * len(names), 80))
    return figure(sized, caption, study.source("heldout/outcomes.parquet"))


def _team_table(study: Study, means: pd.DataFrame) -> Markup:
    rows: list[dict[str, Any]] = []
    for (_, held), part in means.groupby(["rank", "held"], sort=True):
        by_endpoint = dict(zip(part["endpoint"], part["mean"], strict=True))
        rows.append({"held": held, "cells": int(part["cells"].max()), **by_endpoint})
    columns = [Column("held", "team"), numeric("cells", "cells", count)]
    columns += [numeric(endpoint, plain(endpoint)) for endpoint in study.endpoints]
    caption = "Mean of every endpoint by which required workers a team holds."
    return html_table(columns, rows, caption, study.source("heldout/outcomes.parquet"))
