"""Tables of JSON objects: one per line, or an array of them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from routeaudit.errors import InputError
from routeaudit.tables.foreign.header import Wanted, choose

_SHOWN = 80


def read_records(path: Path, text: bytes, wanted: Wanted) -> tuple[pa.Table, Callable[[], list[int]] | None]:
    """The wanted columns, and what tells the line of each row; None for an array, whose rows have only a
    number.

    Raises
    ------
    InputError : not JSON, a key twice, something else than objects, a needed key that no row has
    """
    if text.lstrip().startswith(b"["):
        return _columns(_array(path, text), wanted, path), None
    table = _fast(text)
    if table is None:
        rows = [_object(path, number, line) for number, line in numbered_rows(text)]
        return _columns(rows, wanted, path), lambda: [number for number, _ in numbered_rows(text)]
    chosen = choose(table.column_names, wanted, str(path))
    columns = [table.column(index) for index in chosen.values()]
    return pa.table(columns, names=list(chosen)), lambda: [number for number, _ in numbered_rows(text)]


def numbered_rows(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and text of every line that is neither blank nor a comment."""
    for number, line in enumerate(io.BytesIO(text), 1):
        if not line.isspace() and not line.startswith(b"#"):
            yield number, line


def _fast(text: bytes) -> pa.Table | None:
    """The table where pyarrow reads it exactly as written; None where it cannot or would guess."""
    if text.startswith(b"#") or b"\n#" in text:
        text = re.sub(rb"(?m)^#[^\n]*\n?", b"", text)
    try:
        table = pa.json.read_json(pa.BufferReader(text))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    # Dates are guessed from text, and integers beyond 64 bits become floats.
    if not all(map(_exact, table.itercolumns())) or len(set(table.column_names)) != table.num_columns:
        return None
    return table if table.num_rows == sum(1 for _ in numbered_rows(text)) else None


def _exact(column: pa.ChunkedArray) -> bool:
    kind = column.type
    if pa.types.is_list(kind):
        return bool(pa.types.is_string(kind.value_type) or pa.types.is_null(kind.value_type))
    if pa.types.is_float64(kind):
        return not pc.any(pc.greater_equal(pc.abs(column), float(1 << 53))).as_py()
    known = (pa.types.is_string, pa.types.is_int64, pa.types.is_boolean, pa.types.is_null)
    return any(test(kind) for test in known)


def _array(path: Path, text: bytes) -> list[dict[str, Any]]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (json.JSONDecodeError, RecursionError, _Twice) as error:
        _malformed(f"{path}:{getattr(error, 'lineno', 1)}", error)
    for number, row in enumerate(found, 1):
        if not isinstance(row, dict):
            _no_object(f"{path}: row {number}", row)
    if not found:
        raise InputError(str(path), "an array of objects", "an empty array", "write the table again")
    return list(found)


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=_once)
    except (json.JSONDecodeError, RecursionError, _Twice) as error:
        _malformed(f"{path}:{number}", error)
    if not isinstance(row, dict):
        _no_object(f"{path}:{number}", row)
    return dict(row)


class _Twice(ValueError):
    """A key of an object is there twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return found


def _malformed(where: str, error: Exception) -> NoReturn:
    if isinstance(error, _Twice):
        raise InputError(where, "every key once", f"{error} twice", "delete or rename one of the two")
    what = error.msg if isinstance(error, json.JSONDecodeError) else "brackets nested too deep"
    at = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
    hint = "write one object per line, or an array of objects; python -m json.tool shows the place"
    raise InputError(where, "valid JSON, one object per line or an array", f"{what}{at}", hint)


def _no_object(where: str, row: object) -> NoReturn:
    found = f"{type(row).__name__}: {json.dumps(row)[:_SHOWN]}"
    raise InputError(where, "a JSON object", found, 'write the row as {"column": value, ...}')


def _columns(rows: Sequence[dict[str, Any]], wanted: Wanted, path: Path) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    chosen = choose(names, wanted, str(path))
    arrays = [column_of([row.get(names[index]) for row in rows]) for index in chosen.values()]
    return pa.table(arrays, names=list(chosen))


def column_of(values: Sequence[Any]) -> pa.Array:
    """Values of JSON as one column: of their own type where all have it exactly, else of their spelling."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {list}:
        return pa.array([None if v is None else [spelling(item) for item in v] for v in values])
    if kinds <= {bool} or kinds <= {str}:
        return pa.array(values, None if kinds else pa.null())
    if kinds == {int} and all(v is None or -(1 << 63) <= v < 1 << 63 for v in values):
        return pa.array(values, pa.int64())
    if kinds == {float}:
        return pa.array(values, pa.float64())
    return pa.array([spelling(value) for value in values], pa.string())


def spelling(value: Any) -> str | None:
    """A JSON value as text: whole floats without their point, objects as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return str(int(value))
    return json.dumps(value)
