"""Drawings that several sections share: a forest of estimates with intervals and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

Mark = Mapping[str, Any]

MARK_FIELDS = ("estimate", "lower", "upper", "bound_lower", "bound_upper")


def chart(rows: Sequence[Mark]) -> alt.Chart:
    """A chart over plain rows."""
    return alt.Chart(alt.Data(values=list(rows)))  # type: ignore[no-untyped-call]


def legend() -> alt.Legend:
    """A legend above the drawing with full colours, whatever the first layer's opacity."""
    return alt.Legend(orient="top", symbolOpacity=1, symbolType="circle", symbolStrokeWidth=0)


def forest(rows: Sequence[Mark], name: str, colour: alt.Color, title: str) -> list[alt.Chart]:
    """Layers of one line per row: pale bar for bounds, rule for the interval, point for the estimate, label.

    Rows hold `name`, the fields of `MARK_FIELDS`, `label` (beside the interval) and `words` (on hover).
    """
    order = [row[name] for row in rows]
    base = chart(rows).encode(
        y=alt.Y(f"{name}:N", sort=order, title=None), color=colour, description="words:N"
    )
    axis = alt.X("lower:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=6))
    whiskers = base.mark_rule(strokeWidth=2.5).encode(x=axis, x2="upper:Q")
    bounds = base.mark_rule(strokeWidth=9, opacity=0.35).encode(x="bound_lower:Q", x2="bound_upper:Q")
    points = base.mark_point(filled=True, size=110, opacity=1).encode(x="estimate:Q")
    words = base.mark_text(align="left", dx=9, fontSize=12).encode(
        x="upper:Q", text="label:N", color=alt.value("currentColor")
    )
    return [bounds, whiskers, points, words]


def upright(rows: Sequence[Mark]) -> alt.Chart:
    """Dashed upright lines at the field `at` of each row."""
    dashed: alt.Chart = chart(rows).mark_rule(
        strokeDash=[4, 4], strokeWidth=1.2, color="currentColor", opacity=0.6
    )
    return dashed.encode(x="at:Q")
