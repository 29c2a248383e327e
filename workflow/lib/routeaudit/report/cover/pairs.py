"""A triangle of all pairs: colour is the gain of the row over the column, a mark says it is separated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import altair as alt

from routeaudit.report.charts import RAMP
from routeaudit.report.cover.drawing import chart

LABELLED = 60
_WIDTH = 640
_STEPS = 24


@dataclass(frozen=True)
class Cell:
    """The pair of places ``row`` < ``column``, best first; ``gain`` is not negative."""

    row: int
    column: int
    gain: float
    separated: bool


def triangle(names: Sequence[str], cells: Sequence[Cell]) -> alt.TopLevelMixin:
    """Up to 60 names: labels, and a dot for a separated pair. Beyond: no labels, pale where not separated."""
    if len(names) <= LABELLED:
        return _labelled(names, cells)
    return _bare(len(names), cells)


def _colour(field: str, cells: Sequence[Cell]) -> alt.Color:
    top = max(cell.gain for cell in cells) or 1.0
    return alt.Color(
        f"{field}:Q",
        scale=alt.Scale(domain=[0, top], range=list(RAMP), interpolate="lab"),
        # The triangle leaves this corner free.
        legend=alt.Legend(title="gain", orient="bottom-left", gradientLength=120, tickCount=4, format=".2f"),
    )


def _labelled(names: Sequence[str], cells: Sequence[Cell]) -> alt.TopLevelMixin:
    size = max(12.0, min(28.0, _WIDTH / len(names)))
    font = min(12.0, size - 1)
    axis: dict[str, Any] = {"labelFontSize": font, "labelLimit": 170, "domain": False, "ticks": False}
    base = chart([_told(names, cell) for cell in cells]).encode(
        x=alt.X(
            "column:N", sort=list(names[1:]), title=None, axis=alt.Axis(orient="top", labelAngle=-90, **axis)
        ),
        y=alt.Y("row:N", sort=list(names[:-1]), title=None, axis=alt.Axis(**axis)),
    )
    squares = base.mark_rect().encode(color=_colour("gain", cells), description="words:N")
    dots = base.transform_filter("datum.separated").mark_circle(
        size=size * size / 9, color="#ffffff", stroke="#22252a", strokeWidth=0.7, opacity=1, aria=False
    )
    return alt.layer(squares, dots).properties(width=size * (len(names) - 1), height=size * (len(names) - 1))


def _told(names: Sequence[str], cell: Cell) -> dict[str, Any]:
    row, column = names[cell.row], names[cell.column]
    found = "separated" if cell.separated else "not separated"
    return {
        "row": row,
        "column": column,
        "gain": cell.gain,
        "separated": cell.separated,
        "words": f"{row} over {column}: {cell.gain:+.3f}, {found}",
    }


def _bare(count: int, cells: Sequence[Cell]) -> alt.Chart:
    # Whole pixels per pair: edges between two would show as seams.
    side = count * max(_WIDTH // count, 1)
    place = alt.Axis(tickCount=6, title="place by value", domain=False, grid=False)
    scale = alt.Scale(domain=[0, count], nice=False)
    drawn: alt.Chart = (
        chart(list(_runs(cells)))
        .mark_rect(aria=False)
        .encode(
            x=alt.X("left:Q", scale=scale, axis=place),
            x2="right:Q",
            y=alt.Y("top:Q", scale=alt.Scale(domain=[count, 0], nice=False), axis=place),
            y2="bottom:Q",
            color=_colour("gain", cells),
            opacity=alt.Opacity(
                "separated:N", scale=alt.Scale(domain=[True, False], range=[1, 0.5]), legend=None
            ),
        )
        .properties(width=side, height=side)
    )
    return drawn


def _runs(cells: Sequence[Cell]) -> Iterator[dict[str, Any]]:
    """Neighbours of one row with the same shade and mark as one rectangle: thousands of pairs stay light."""
    top = max(cell.gain for cell in cells) or 1.0
    ordered = sorted(cells, key=lambda cell: (cell.row, cell.column))
    shades = ((cell, (cell.row, round(_STEPS * cell.gain / top), cell.separated)) for cell in ordered)
    for (row, shade, separated), run in groupby(shades, key=lambda pair: pair[1]):
        columns = [cell.column for cell, _ in run]
        yield {
            "left": columns[0],
            "right": columns[-1] + 1,
            "top": row,
            "bottom": row + 1,
            "gain": shade * top / _STEPS,
            "separated": separated,
        }
