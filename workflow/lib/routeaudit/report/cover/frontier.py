"""Cost against regret: which routers no other beats on both, with paired intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt
from markupsafe import Markup

from routeaudit.report.charts import figure
from routeaudit.report.cover.drawing import chart
from routeaudit.report.cover.levels import ROUTER, colours, group
from routeaudit.report.cover.spelling import Row, difference, ends, level
from routeaudit.report.cover.study import Study
from routeaudit.report.page import Section, paragraph
from routeaudit.report.tables import Column, html_table, number, numeric, signed


@dataclass(frozen=True)
class Point:
    """A router in the plane: mean cost of its teams, its regret row."""

    policy: str
    cost: float
    row: Row

    @property
    def regret(self) -> float:
        """Estimated regret; only identified points are placed."""
        return float(self.row["estimate"])


def section(study: Study) -> Section:
    """One plane per stack, the frontier, and paired differences along it."""
    parts: list[Markup] = []
    for stack in study.stacks:
        parts += [Markup("<h3>Stack {}</h3>").format(stack)] if len(study.stacks) > 1 else []
        parts += _stack(study, stack)
    return Section("frontier", "Cost and regret", Markup("").join(parts))


def _stack(study: Study, stack: str) -> list[Markup]:
    points = _points(study, stack)
    if not points:
        return [paragraph("No regret is identified, so nothing can be set against cost.")]
    costs = {round(point.cost, 12) for point in points}
    if len(costs) == 1:
        said = f"Every router's teams cost {number(points[0].cost, 2)} on average: cost decides nothing here."
        return [paragraph(said), _table(study, stack, points)]
    said = (
        "A router is on the frontier when no other costs at most as much and leaves less regret; privileged "
        "routers and attackers are shown but do not count. Costs are known when routes are frozen; the "
        "differences below are paired by task."
    )
    return [
        paragraph(said),
        _chart(study, points),
        _table(study, stack, points),
        _steps(study, stack, points),
    ]


def _points(study: Study, stack: str) -> list[Point]:
    rows = study.regret
    rows = rows[(rows["stack"] == stack) & (rows["endpoint"] == study.primary)]
    costs = rows.groupby("policy")["cost"].mean()
    found = [
        Point(policy, float(costs[policy]), study.score(stack, policy, study.regime.regret))
        for policy in study.policies
    ]
    return sorted(
        (point for point in found if point.row.get("estimate") is not None),
        key=lambda point: (point.cost, point.regret, point.policy),
    )


def frontier(points: Sequence[Point]) -> list[Point]:
    """Points that none beats on cost and regret together, by rising cost."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (point.cost, point.regret, point.policy)):
        if not kept or point.regret < kept[-1].regret:
            kept.append(point)
    return kept


def _deployable(study: Study, points: list[Point]) -> list[Point]:
    return [point for point in points if group(study, point.policy) == ROUTER]


def _chart(study: Study, points: list[Point]) -> Markup:
    marks = [_mark(study, point) for point in points]
    base = chart(marks).encode(
        x=alt.X("cost:Q", title="mean cost per task", scale=alt.Scale(zero=False, padding=24)),
        color=colours(study),
        description="words:N",
    )
    axis = alt.Y("lower:Q", title=study.regime.regret_word, scale=alt.Scale(zero=True))
    whiskers = base.mark_rule(strokeWidth=2).encode(y=axis, y2="upper:Q")
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(y="regret:Q")
    names = chart(_names(points)).mark_text(align="left", dx=8, dy=-7, fontSize=12)
    names = names.encode(x="cost:Q", y="regret:Q", text="names:N")
    best = [_mark(study, point) for point in frontier(_deployable(study, points))]
    line = (
        chart(best)
        .mark_line(
            interpolate="step-after", strokeDash=[4, 3], strokeWidth=1.4, color="currentColor", opacity=0.6
        )
        .encode(x="cost:Q", y="regret:Q")
    )
    caption = f"Mean cost and {study.regime.regret_word} of every router; the dashed line is the frontier."
    return figure(
        alt.layer(line, whiskers, dots, names).properties(width=600, height=300),
        caption,
        study.source("regret.parquet"),
    )


def _names(points: list[Point]) -> list[dict[str, Any]]:
    """One label per place, with all routers that lie there."""
    places: dict[tuple[float, float], list[str]] = {}
    for point in points:
        places.setdefault((point.cost, point.regret), []).append(point.policy)
    return [
        {"cost": cost, "regret": regret, "names": ", ".join(held)} for (cost, regret), held in places.items()
    ]


def _mark(study: Study, point: Point) -> dict[str, Any]:
    return {
        "policy": point.policy,
        "group": group(study, point.policy),
        "cost": point.cost,
        "regret": point.regret,
        "lower": point.row["lower"],
        "upper": point.row["upper"],
        "words": f"{point.policy}: cost {point.cost:.2f}, {level(point.row)} {ends(point.row)}",
    }


def _table(study: Study, stack: str, points: list[Point]) -> Markup:
    best = {point.policy for point in frontier(_deployable(study, points))}
    rows = [
        {"policy": point.policy, "cost": point.cost, "regret": level(point.row), "interval": ends(point.row),
         "on": "on the frontier" if point.policy in best else ""}
        for point in points
    ]  # fmt: skip
    columns = [
        Column("policy", "router"),
        numeric("cost", "mean cost", lambda value: number(value, 2)),
        numeric("regret", study.regime.regret_word, str),
        numeric("interval", "interval", str),
        Column("on", "frontier"),
    ]
    caption = f"Cost and {study.regime.regret_word} of every router."
    return html_table(columns, rows, caption, study.source("regret.parquet"), lambda row: bool(row["on"]))


def _steps(study: Study, stack: str, points: list[Point]) -> Markup:
    """What each step along the frontier buys, as a paired difference."""
    best = frontier(_deployable(study, points))
    rows = [_step(study, stack, low, high) for low, high in pairwise(best)]
    columns = [
        Column("step", "step"),
        numeric("cost", "cost", lambda value: signed(value, 2)),
        numeric("gain", "regret saved", str),
        numeric("interval", "paired interval", str),
    ]
    caption = (
        "Paired differences along the frontier: descriptive and unadjusted, as the frontier was found here."
    )
    return html_table(columns, rows, caption, study.source("contrasts.parquet"))


def _step(study: Study, stack: str, low: Point, high: Point) -> dict[str, Any]:
    pair = study.pair(stack, high.policy, low.policy)
    return {
        "step": f"{low.policy} → {high.policy}",
        "cost": high.cost - low.cost,
        "gain": difference(pair) if pair else signed(low.regret - high.regret),
        "interval": ends(pair),
    }
