"""Outcomes of every executed team on every held-out task, as a heat map."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from markupsafe import Markup

from routeaudit.report.charts import PALETTE, RAMP, figure
from routeaudit.report.cover.drawing import chart
from routeaudit.report.cover.headline import ranking
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.teams import TeamRows, team_rows
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Section, paragraph
from routeaudit.report.tables import Column, count, html_table, numeric

_MOST_TASKS = 150
_LABELLED = 40


def section(study: Study) -> Section:
    """The heat map and the mean of each row of it."""
    teams = team_rows(study)
    parts = [_introduction(teams)]
    for stack in study.stacks:
        cells = placed_cells(study, stack, teams)
        parts += [Markup("<h3>Stack {}</h3>").format(stack)] if len(study.stacks) > 1 else []
        parts += [_map(study, stack, cells, teams), _means(study, cells)]
    return Section("outcomes", "Outcomes of every team", Markup("").join(parts))


def _introduction(teams: TeamRows) -> Markup:
    if teams.persistent:
        return paragraph(
            "A column is a task, a row a team; the workers are the same in every task. Teams that hold all "
            "required workers carry a dark frame."
        )
    return paragraph(
        "A column is a task, a row a team. Team ids mean nothing across tasks, so teams are lined up by "
        "what they hold: the gold team has every required worker."
    )


def placed_cells(study: Study, stack: str, teams: TeamRows) -> pd.DataFrame:
    """Primary-endpoint cells of a stack with the row of their team, replicates averaged."""
    cells = study.outcomes
    cells = cells[(cells["endpoint"] == study.primary) & (cells["stack"] == stack)]
    mean = cells.groupby(["task_id", "team_id"], as_index=False).agg(
        value=("value", "mean"), status=("status", "first")
    )
    return mean.merge(teams.frame, on=["task_id", "team_id"])


def _map(study: Study, stack: str, cells: pd.DataFrame, teams: TeamRows) -> Markup:
    order = task_order(cells)
    shown = order[_spread(len(order))]
    part = cells[cells["task_id"].isin(set(shown))].copy()
    part["word"] = part["value"].map(lambda value: "missing" if pd.isna(value) else f"{value:g}")
    part["words"] = part["task_id"] + ", " + part["row"] + ": " + part["word"]
    width = max(min(22 * len(shown), 760), 240)
    rows = sorted(part["row"].unique(), key=_natural(part))
    gap = 0.12 if len(shown) <= 2 * _LABELLED else 0.0
    x = alt.X("task_id:N", sort=list(shown), title="held-out tasks", axis=_task_axis(len(shown)),
              scale=alt.Scale(paddingInner=gap))  # fmt: skip
    y = alt.Y("row:N", sort=rows, title=None, scale=alt.Scale(paddingInner=0.12))
    base = chart(_plain_rows(part)).encode(x=x, y=y, description="words:N")
    tiles = base.mark_rect().encode(color=_shade(study, part))
    if teams.persistent:
        framed = alt.condition("datum.gold", alt.value("currentColor"), alt.value("transparent"))
        tiles = base.mark_rect(strokeWidth=1.2).encode(color=_shade(study, part), stroke=framed)
    chosen = _chosen(study, stack, part)
    layers = [tiles]
    if chosen:
        dots = chart(chosen).mark_point(
            filled=True, size=42 if len(shown) <= _LABELLED else 16, color=PALETTE[1], opacity=1
        )
        layers.append(dots.encode(x=x, y=y, description="words:N"))
    height = min(max(26 * len(rows), 80), 420)
    return figure(
        alt.layer(*layers).properties(width=width, height=height),
        _caption(study, stack, len(shown), len(order), bool(chosen)),
        study.source("heldout/outcomes.parquet"),
    )


def _shade(study: Study, part: pd.DataFrame) -> alt.Color:
    """Two colours for outcomes that are 0 or 1, a ramp for graded ones, grey where a cell is missing."""
    title = plain(study.primary)
    if set(part["value"].dropna()) <= {0.0, 1.0}:
        scale = alt.Scale(domain=["1", "0", "missing"], range=[RAMP[-1], RAMP[0], PALETTE[5]])
        swatches = alt.Legend(orient="top", symbolType="square", titleOrient="left")
        return alt.Color("word:N", title=title, scale=scale, legend=swatches)
    ramp = alt.Legend(orient="top", gradientLength=160, titleOrient="left")
    return alt.Color("value:Q", title=title, scale=alt.Scale(domain=[0, 1], range=list(RAMP)), legend=ramp)


def task_order(cells: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Task ids: first those on which teams differ, then by the gold team's value and by successes."""
    grouped = cells.groupby("task_id")["value"]
    gold = cells[cells["gold"]].groupby("task_id")["value"].max()
    facts = pd.DataFrame({"spread": grouped.max() > grouped.min(), "total": grouped.sum()})
    facts["gold"] = gold.reindex(facts.index).fillna(-1.0)
    ordered = facts.reset_index().sort_values(
        ["spread", "gold", "total", "task_id"], ascending=[False, False, True, True]
    )
    return ordered["task_id"].to_numpy(dtype=object)


def _spread(n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Places of at most `_MOST_TASKS` tasks, evenly spaced in their order."""
    return np.unique(np.linspace(0, n - 1, min(n, _MOST_TASKS)).round().astype(np.int64))


def _natural(part: pd.DataFrame) -> Any:
    place = part.drop_duplicates("row").set_index("row")["place"]
    return lambda row: (int(place[row]), row)


def _task_axis(n: int) -> alt.Axis:
    return alt.Axis(labels=n <= _LABELLED, ticks=False, labelAngle=-90, domain=False, labelFontSize=10)


def _plain_rows(part: pd.DataFrame) -> list[dict[str, Any]]:
    kept = part[["task_id", "row", "gold", "value", "word", "words"]].astype(object)
    records = kept.where(part.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in records]


def _chosen(study: Study, stack: str, part: pd.DataFrame) -> list[dict[str, Any]]:
    """The cells that the router with the lowest regret chose."""
    policy = _shown_policy(study, stack)
    if policy is None:
        return []
    routes = study.regret
    routes = routes[
        (routes["policy"] == policy) & (routes["stack"] == stack) & (routes["endpoint"] == study.primary)
    ]
    merged = part.merge(routes[["task_id", "team_id"]], on=["task_id", "team_id"])
    return [
        {"task_id": row.task_id, "row": row.row, "words": f"{policy} chose {row.row} for {row.task_id}"}
        for row in merged.itertuples()
    ]


def _shown_policy(study: Study, stack: str) -> str | None:
    ranked = ranking(study, stack)
    return str(ranked[0]["subject"]) if ranked else None


def _caption(study: Study, stack: str, shown: int, total: int, chosen: bool) -> str:
    left = "" if shown == total else f" {count(shown)} of {count(total)} tasks, evenly spaced in this order."
    dots = f" A dot marks the team that {_shown_policy(study, stack)} chose." if chosen else ""
    return (
        f"{plain(study.primary).capitalize()} of each executed cell. Tasks on which teams differ come "
        f"first, among them those that the gold team solves.{dots}{left}"
    )


def _means(study: Study, cells: pd.DataFrame) -> Markup:
    grouped = cells.groupby(["place", "row"], as_index=False).agg(
        mean=("value", "mean"), cells=("value", "count"), solved=("value", "sum")
    )
    columns = [Column("row", "team"), numeric("mean", "mean"), numeric("solved", "sum", lambda v: f"{v:g}"),
               numeric("cells", "cells scored", count)]  # fmt: skip
    caption = f"Mean {plain(study.primary)} of each row above, over all held-out tasks."
    rows = [{str(key): value for key, value in row.items()} for row in grouped.to_dict("records")]
    return html_table(columns, rows, caption, study.source("heldout/outcomes.parquet"))
