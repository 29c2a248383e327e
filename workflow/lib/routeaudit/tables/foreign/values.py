"""Columns of a foreign table as identifiers, numbers, flags; what is wrong is named with its row."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.errors import InputError
from routeaudit.tables.foreign.table import Foreign

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# How programs spell a missing value in text.
NOTHING = pa.array(["", "nan", "none", "null", "na", "n/a", "<na>"])
_TRUE, _FALSE = pa.array(["1", "true", "t", "yes", "1.0"]), pa.array(["0", "false", "f", "no", "0.0"])
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"
_COMMA = r"^[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?$"
_PERCENT = r"^[+-]?(\d+\.?\d*|\.\d+)\s*%$"
_EXACT = float(1 << 53)


def text(source: Foreign, name: str) -> pa.ChunkedArray:
    """A column as text, null where the file has null: 1 and 1.0 of a typed column are "1".

    Raises
    ------
    InputError : a number too large for the column to hold it exactly, a nested value
    """
    return _as_text(source, name, source.table[name])


def _as_text(source: Foreign, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_string(kind):
        return column
    if pa.types.is_dictionary(kind):
        return _as_text(source, name, column.cast(kind.value_type))
    if pa.types.is_floating(kind):
        return _whole_floats(source, name, column)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        fail(source, name, 0, "text or a number", str(kind), f"convert the column {name} to text")
    return column.cast(pa.string())


def _whole_floats(source: Foreign, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    values = column.cast(pa.float64())
    large = mask(pc.greater_equal(pc.abs(values), _EXACT))
    if large.any():
        row = int(np.argmax(large))
        found = f"{values[row].as_py():.0f} in a column of floats, which may have lost digits"
        fail(source, name, row, "identifiers as text", found, f"write the column {name} as text")
    known = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    whole = pc.equal(known, pc.floor(known))
    digits = pc.if_else(whole, known, 0.0).cast(pa.int64()).cast(pa.string())
    return pc.if_else(whole, digits, known.cast(pa.string()))


def blank(column: pa.ChunkedArray) -> Mask:
    """Where text is null or only spaces."""
    return ~mask(pc.not_equal(pc.utf8_trim_whitespace(column), ""))


def identifiers(source: Foreign, name: str) -> pa.ChunkedArray:
    """A column of identifiers, as text exactly as written.

    Raises
    ------
    InputError : a blank one
    """
    found = text(source, name)
    empty = blank(found)
    if empty.any():
        row, rows = int(np.argmax(empty)), int(empty.sum())
        found_text = "nothing" if rows == 1 else f"nothing ({rows} such rows)"
        article = "an" if name[0] in "aeiou" else "a"
        fail(source, name, row, f"{article} {name}", found_text, f"fill the column {name}, or delete the row")
    return found


def optional_text(source: Foreign, name: str) -> pa.ChunkedArray:
    """A column as text, null where it is blank; all null where the file lacks it."""
    if not source.has(name):
        return pa.chunked_array([pa.nulls(source.table.num_rows, pa.string())])
    found = text(source, name)
    return pc.if_else(pa.array(blank(found)), pa.scalar(None, pa.string()), found)


def numbers(source: Foreign, name: str, scale: float | None = None, logical: bool = False) -> Floats:
    """A column of finite numbers, NaN where there is nothing.

    Parameters
    ----------
    scale : the number that means certainty; 95% is then 95 of 100 or .95 of 1. None: no percent sign
    logical : whether true and false count as 1 and 0

    Raises
    ------
    InputError : something else, a decimal comma, a percent sign where none is read, an infinite number
    """
    column = source.table[name]
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        values = _parsed(source, name, column, scale, logical)
    elif pa.types.is_nested(kind) or pa.types.is_temporal(kind) or pa.types.is_binary(kind):
        fail(source, name, 0, "a number or nothing", str(kind), f"convert the column {name} to numbers")
    else:
        values = _floats(column.cast(pa.int8()) if pa.types.is_boolean(kind) else column)
    if (wide := np.isinf(values)).any():
        row = int(np.argmax(wide))
        fail(source, name, row, "a number or nothing", f"{values[row]}", "leave it empty if unknown")
    return values


def _floats(column: pa.ChunkedArray) -> Floats:
    found: Floats = np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    return found


def _parsed(
    source: Foreign, name: str, column: pa.ChunkedArray, scale: float | None, logical: bool
) -> Floats:
    try:
        return _floats(column)
    except pa.ArrowInvalid:
        pass  # the parser does not say where; blanks, spaces and percent signs come here too
    words = pc.utf8_trim_whitespace(column)
    lower = pc.utf8_lower(words)
    if logical:
        words = pc.if_else(pc.equal(lower, "true"), "1", pc.if_else(pc.equal(lower, "false"), "0", words))
    nothing = mask(pc.is_in(lower, value_set=NOTHING)) | ~mask(pc.is_valid(words))
    number, percent = (mask(pc.match_substring_regex(words, form)) for form in (_NUMBER, _PERCENT))
    read = number | (percent if scale in (1, 100) else False)
    if not (read | nothing).all():
        row = int(np.argmin(read | nothing))
        _no_number(source, name, row, scale, logical)
    digits = pc.replace_substring_regex(words, r"^\+|\s*%$", "")
    values = _floats(pc.if_else(pa.array(read), digits, pa.scalar(None, pa.string())))
    return np.where(percent, values / 100, values) if scale == 1 else values


def _no_number(source: Foreign, name: str, row: int, scale: float | None, logical: bool) -> NoReturn:
    found = source.table[name][row].as_py()
    told = found.strip()
    expected, hint = "a number or nothing", f"write a number in the column {name}; leave it empty if unknown"
    if logical:
        expected, hint = "a number, true, false or nothing", f"write 1, 0 or a share in the column {name}"
    if _matches(told, _PERCENT) and scale is None:
        expected = "a number without a percent sign"
        hint = f"divide by a hundred: {float(told.rstrip('%')) / 100:g} for {told}"
    elif _matches(told, _PERCENT):
        expected = f"a number up to {scale:g} (percent is out of a hundred: for scales 100 and 1)"
        hint = "pass --scale 100, or write plain numbers"
    elif _matches(told, _COMMA):
        expected = "a number with a decimal point"
        hint = f"write {told.replace(',', '.')} for {told} in the column {name}"
    fail(source, name, row, expected, repr(found), hint)


def _matches(found: str, form: str) -> bool:
    return bool(pc.match_substring_regex(pa.scalar(found), form).as_py())


def integers(source: Foreign, name: str) -> pa.Array:
    """A column of whole numbers, null where there is nothing.

    Raises
    ------
    InputError : something else
    """
    values = numbers(source, name)
    known = ~np.isnan(values)
    broken = known & (values != np.rint(values))
    if broken.any():
        row = int(np.argmax(broken))
        fail(source, name, row, "a whole number or nothing", f"{values[row]:g}", "write a whole number")
    return pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)


def flags(source: Foreign, name: str) -> pa.ChunkedArray:
    """A column of true and false, null where there is nothing.

    Raises
    ------
    InputError : something else
    """
    column = source.table[name]
    if pa.types.is_boolean(column.type):
        return column
    words = pc.utf8_lower(pc.utf8_trim_whitespace(text(source, name)))
    yes, no, nothing = (mask(pc.is_in(words, value_set=known)) for known in (_TRUE, _FALSE, NOTHING))
    empty = nothing | ~mask(pc.is_valid(words))
    if not (yes | no | empty).all():
        row = int(np.argmin(yes | no | empty))
        found = repr(column[row].as_py())
        hint = f"recode the column {name} to 0 and 1, empty where unknown"
        fail(source, name, row, "0, 1, true, false or nothing", found, hint)
    return pa.chunked_array([pa.array(yes, mask=empty)])


def mask(found: pa.ChunkedArray | pa.Array) -> Mask:
    """A boolean column as numpy, False where it is null."""
    return np.asarray(pc.fill_null(found, False)).astype(bool)


def fail(source: Foreign, name: str, row: int, expected: str, found: str, hint: str) -> NoReturn:
    """Raise InputError for a cell."""
    raise InputError(source.place(row, name), expected, found, hint)
