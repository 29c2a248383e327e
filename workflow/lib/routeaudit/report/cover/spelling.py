"""How one row of a result table is spelled in a cell: level, share, interval, status, remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.words import STATUSES, plain, remark
from routeaudit.report.page import badge
from routeaudit.report.tables import ABSENT, count, interval, number, signed

Row = Mapping[str, Any]


def level(row: Row) -> str:
    """An estimate, or its bounds where coverage does not identify it."""
    if row.get("estimate") is not None:
        return number(row["estimate"])
    return between(row)


def difference(row: Row) -> str:
    """A difference, or its bounds where coverage does not identify it."""
    if row.get("estimate") is not None:
        return signed(row["estimate"])
    return between(row)


def between(row: Row) -> str:
    """The sharp bounds of a row; a dash where it has none."""
    if row.get("bound_lower") is None:
        return ABSENT
    return f"{number(row['bound_lower'])} to {number(row['bound_upper'])}"


def ends(row: Row) -> str:
    """The confidence interval."""
    return interval(row.get("lower"), row.get("upper"))


def share(row: Row) -> str:
    """Numerator and denominator; whole numerators without decimals."""
    top = row.get("numerator")
    if top is None:
        return f"{ABSENT}/{count(row['denominator'])}" if row.get("denominator") else ABSENT
    shown = count(int(top)) if float(top).is_integer() else number(top, 2)
    return f"{shown}/{count(row['denominator'])}"


def method(row: Row) -> str:
    """The interval's construction and how it was evaluated."""
    if not row.get("method"):
        return ABSENT
    return f"{plain(row['method'])} ({row['engine']})" if row["engine"] else plain(row["method"])


def status(word: str) -> Markup:
    """An evidential status as a badge."""
    meaning = STATUSES.get(word)
    return badge(plain(word), meaning.tone if meaning else "plain")


def remarks(row: Row, without: Sequence[str] = ()) -> str:
    """Flags and reasons of a row in words."""
    words = [*(row.get("status_reasons") or ()), *(row.get("flags") or ())]
    words += [row["reason"]] if row.get("reason") else []
    return "; ".join(dict.fromkeys(remark(word) for word in words if word not in without))


def companions(row: Row) -> list[dict[str, Any]]:
    """The other intervals of a row, as rows of a table."""
    return [dict(each) for each in row.get("companions") or ()]
