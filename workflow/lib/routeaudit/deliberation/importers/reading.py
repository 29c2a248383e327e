"""Reading source files: rows with their places, and values that say where they are wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from routeaudit.errors import InputError
from routeaudit.tables.foreign import Wanted, read_foreign
from routeaudit.tables.foreign.raw import content, utf8

_TRUE, _FALSE = {"1", "true", "t", "yes", "1.0"}, {"0", "false", "f", "no", "0.0"}
_NOTHING = {"", "nan", "none", "null", "na"}


def rows_of(path: Path, needed: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of a table with their places: its needed columns, or all under their own names.

    Raises
    ------
    InputError : a file that is no such table, or a needed column is absent
    """
    found = read_foreign(path, Wanted.of(needed))
    for number, row in enumerate(found.table.to_pylist()):
        yield found.place(number), row


def read_text(path: Path) -> str:
    """A text file: UTF-8 or UTF-16, also as gzip.

    Raises
    ------
    InputError : absent, empty, binary or in another encoding
    """
    return utf8(content(path, "a text file"), path).decode()


def parsed(text: str, where: str) -> Any:
    """A JSON text.

    Raises
    ------
    InputError : not JSON
    """
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(where, "valid JSON", str(error)[:120], "repair the file") from None


def number(value: Any, where: str) -> float | None:
    """A number, or None for nothing.

    Raises
    ------
    InputError : something else
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise InputError(where, "a number or nothing", repr(value)[:80], "leave it empty if unknown")
    return found


def flag(value: Any, where: str) -> bool | None:
    """True, False, or None for nothing.

    Raises
    ------
    InputError : something else
    """
    if isinstance(value, bool) or value is None:
        return value
    word = str(value).strip().lower()
    if word in _NOTHING:
        return None
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise InputError(where, "0, 1, true, false or nothing", repr(value)[:80], "recode the column")


def listed(source: Mapping[str, Any], name: str, where: str) -> list[Any]:
    """A list inside a JSON object.

    Raises
    ------
    InputError : absent or something else
    """
    value = source.get(name)
    if not isinstance(value, list):
        raise InputError(f"{where}, key {name!r}", "a list", type(value).__name__, "check the format")
    return value
