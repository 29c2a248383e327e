"""Numbers and tables for pages: one spelling for each kind of value, tables that say their source."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup, escape

ABSENT = "–"
_THIN_SPACE = "\u202f"
_MINUS = "\u2212"

Format = Callable[[Any], str]


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def text(value: Any) -> str:
    """Any value as text; nothing becomes a dash, `Markup` stays what it is."""
    if _absent(value):
        return ABSENT
    return value if isinstance(value, Markup) else str(value)


def number(value: float | None, digits: int = 3) -> str:
    """A real number with a fixed count of decimals and a typographic minus."""
    if value is None or not math.isfinite(value):
        return ABSENT
    rounded = f"{value:.{digits}f}"
    negative = rounded.startswith("-") and float(rounded) != 0.0
    return (_MINUS if negative else "") + rounded.lstrip("-")


def signed(value: float | None, digits: int = 3) -> str:
    """A difference: like `number`, with a plus sign above zero."""
    shown = number(value, digits)
    positive = value is not None and math.isfinite(value) and round(value, digits) > 0
    return f"+{shown}" if positive else shown


def count(value: float | None) -> str:
    """A count with thin spaces between thousands; a weighted one keeps two decimals."""
    if value is None or not math.isfinite(value):
        return ABSENT
    shown = f"{int(value):,}" if float(value).is_integer() else f"{value:,.2f}"
    return shown.replace(",", _THIN_SPACE).replace("-", _MINUS)


def percent(value: float | None, digits: int = 1) -> str:
    """A share in [0,1] as per cent."""
    return ABSENT if value is None or not math.isfinite(value) else f"{number(100 * value, digits)} %"


def p_value(value: float | None) -> str:
    """A p-value with three decimals; below .001 only the bound is shown."""
    if value is None or not math.isfinite(value):
        return ABSENT
    return "< 0.001" if value < 0.001 else number(value, 3)


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """A closed interval; without both ends, a dash."""
    if _absent(low) or _absent(high):
        return ABSENT
    return f"[{number(low, digits)}, {number(high, digits)}]"


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """An estimate followed by its interval."""
    if _absent(value):
        return ABSENT
    ends = interval(low, high, digits)
    return number(value, digits) if ends == ABSENT else f"{number(value, digits)} {ends}"


def duration(seconds: float | None) -> str:
    """A time span: ``0.42 s``, ``3 min 05 s`` or ``2 h 07 min``."""
    if seconds is None or not math.isfinite(seconds):
        return ABSENT
    if round(seconds, 2) < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def digest(value: str | None) -> Markup:
    """The first twelve characters of a digest; the whole of it shows on hover."""
    if not value:
        return Markup(ABSENT)
    return Markup('<code class="digest" title="{}">{}</code>').format(value, value[:12])


@dataclass(frozen=True)
class Column:
    """One column of a page's table.

    Parameters
    ----------
    key : which entry of a row it shows
    label : its heading
    format : how a value is spelled; plain strings are escaped, `Markup` passes
    align : ``left`` for words, ``right`` for numbers
    help : what the column means, shown on hover of the heading
    """

    key: str
    label: str
    format: Format = text
    align: Literal["left", "right"] = "left"
    help: str = ""


def numeric(key: str, label: str, format: Format = number, help: str = "") -> Column:
    """A right-aligned column of numbers."""
    return Column(key, label, format, "right", help)


@dataclass(frozen=True)
class Source:
    """The artifact a table or figure was made from, shown beneath it so that numbers can be traced."""

    path: str
    content: str = ""

    def __html__(self) -> Markup:
        shown = Markup('<span class="source">from <code>{}</code>').format(self.path)
        return (
            shown + (Markup(" · ") + digest(self.content) if self.content else Markup("")) + Markup("</span>")
        )


def html_table(
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    caption: str,
    source: Source | None = None,
    emphasis: Callable[[Mapping[str, Any]], bool] = lambda row: False,
) -> Markup:
    """A captioned table in a box that scrolls sideways when it is wider than the page.

    Rows for which `emphasis` is true are set bold. An absent key of a row shows as a dash.
    """
    head = Markup("").join(_heading(column) for column in columns)
    body = Markup("").join(_row(columns, row, emphasis(row)) for row in rows)
    if not rows:
        body = Markup('<tr><td class="empty" colspan="{}">no rows</td></tr>').format(len(columns))
    return Markup(
        '<figure class="table"><figcaption>{}{}</figcaption><div class="scroll" tabindex="0">'
        "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div></figure>"
    ).format(caption, _beneath(source), head, body)


def definitions(facts: Mapping[str, Any]) -> Markup:
    """Names and values, one pair a line; values that are `Markup` pass unescaped."""
    pairs = Markup("").join(
        Markup("<dt>{}</dt><dd>{}</dd>").format(name, text(value)) for name, value in facts.items()
    )
    return Markup('<dl class="facts">{}</dl>').format(pairs)


def _beneath(source: Source | None) -> Markup:
    return Markup("") if source is None else Markup(" {}").format(source)


def _heading(column: Column) -> Markup:
    label = escape(column.label)
    if column.help:
        label = Markup('<abbr title="{}">{}</abbr>').format(column.help, column.label)
    return Markup('<th scope="col" class="{}">{}</th>').format(column.align, label)


def _row(columns: Sequence[Column], row: Mapping[str, Any], strong: bool) -> Markup:
    cells = Markup("").join(
        Markup('<td class="{}">{}</td>').format(column.align, column.format(row.get(column.key)))
        for column in columns
    )
    return (Markup('<tr class="strong">{}</tr>') if strong else Markup("<tr>{}</tr>")).format(cells)
