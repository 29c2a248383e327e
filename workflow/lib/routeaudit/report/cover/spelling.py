"""How one row of a result table is spelled in a cell: level, share, interval, status, remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.words import STATUSES, plain, remark
from routeaudit.report.page import badge
from routeaudit.report.tables import ABSENT, count, definitions, interval, number, signed

Row = Mapping[str, Any]

_SILENT = frozenset({"no_claim", "cells_missing"})


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
    return f"{count(top)}/{count(row['denominator'])}"


def method(row: Row) -> str:
    """The interval's construction and how it was evaluated."""
    if not row.get("method"):
        return ABSENT
    return f"{plain(row['method'])} ({row['engine']})" if row["engine"] else plain(row["method"])


def status(word: str) -> Markup:
    """An evidential status as a badge."""
    meaning = STATUSES.get(word)
    return badge(plain(word), meaning.tone if meaning else "plain")


def qualifiers(row: Row) -> list[str]:
    """Flags and reasons of a row, each once; why a row claims nothing needs no remark."""
    words = [*(row.get("status_reasons") or ()), *(row.get("flags") or ()), row.get("reason") or ""]
    return [word for word in dict.fromkeys(words) if word and word not in _SILENT]


def remarks_below(rows: Sequence[Row], name: str) -> Markup:
    """What qualifies the rows of a table, each remark once with the rows it holds for (column `name`)."""
    holders: dict[str, list[str]] = {}
    for row in rows:
        for word in qualifiers(row):
            holders.setdefault(remark(word), []).append(str(row[name]))
    grouped: dict[str, list[str]] = {}
    for said, held in holders.items():
        whom = "all rows" if len(held) == len(rows) > 1 else ", ".join(dict.fromkeys(held))
        grouped.setdefault(whom, []).append(said)
    return definitions({whom: "; ".join(said) for whom, said in grouped.items()}) if grouped else Markup("")


def moment(time: str) -> str:
    """A UTC time without its zone."""
    return time.replace("T", " ").removesuffix("+00:00")
