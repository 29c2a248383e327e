"""One reader for tables of other people's making, whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from routeaudit.errors import InputError
from routeaudit.tables.foreign.delimited import read_delimited
from routeaudit.tables.foreign.header import Wanted, choose
from routeaudit.tables.foreign.raw import check_file, content, utf8
from routeaudit.tables.foreign.records import read_records

_PARQUET, _JSON = (".parquet", ".pq"), (".json", ".jsonl", ".ndjson")
_MAGIC = b"PAR1"


@dataclass(frozen=True, eq=False)
class Foreign:
    """The wanted columns of a file, in the order asked for, as text or of the file's own types.

    ``lines`` tells the line of each row; None where rows have only a number (Parquet, a JSON array).
    """

    path: Path
    table: pa.Table
    lines: Callable[[], list[int]] | None = None

    @cached_property
    def _lines(self) -> list[int] | None:
        return None if self.lines is None else self.lines()

    def has(self, name: str) -> bool:
        """Whether the file has this column of ours."""
        return name in self.table.column_names

    def place(self, row: int, column: str | None = None) -> str:
        """The file with the line or number of a row (counted from 0), and a column."""
        where = f"{self.path}: row {row + 1}" if self._lines is None else f"{self.path}:{self._lines[row]}"
        return where if column is None else f"{where}, column {column!r}"

    def short_place(self, row: int) -> str:
        """The line or number of a row without its file."""
        return f"row {row + 1}" if self._lines is None else f"line {self._lines[row]}"


def read_foreign(path: Path, wanted: Wanted) -> Foreign:
    """The wanted columns of a CSV, TSV, JSON lines, JSON array or Parquet file, also where it is gzip.

    Raises
    ------
    InputError : a file that is no such table, lacks a needed column, or has no rows; see docs/tables.md
    """
    found = _read(path, wanted)
    if not found.table.num_rows:
        raise InputError(str(path), "at least one row", "a header and no rows", "write the table again")
    return found


def _read(path: Path, wanted: Wanted) -> Foreign:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1] if suffixes else ""
    if begins_as_parquet(path):
        return _parquet(path, path, wanted)
    raw = content(path)
    if raw.startswith(_MAGIC):
        return _parquet(path, pa.BufferReader(raw), wanted)
    if kind in _PARQUET:
        _no_parquet(path, "a file that does not begin as Parquet does")
    text = utf8(raw, path)
    del raw
    if kind in _JSON:
        table, lines = read_records(path, text, wanted)
        return Foreign(path, table, lines)
    table, source = read_delimited(path, text, wanted)
    return Foreign(path, table, source.row_lines)


def begins_as_parquet(path: Path) -> bool:
    """Whether a file says that it is Parquet.

    Raises
    ------
    InputError : absent, or a folder
    """
    check_file(path)
    if not path.is_file():
        return False  # a pipe can be read once only
    try:
        with path.open("rb") as handle:
            return handle.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False  # whoever reads the content says why it cannot be read


def check_parquet(path: Path, identifiers: Sequence[str], numbers: Sequence[str]) -> None:
    """Hold a file that will be streamed, and so never be converted, against what streaming reads.

    Raises
    ------
    InputError : no whole Parquet file with rows, or one without these columns under these very names and of
    these kinds
    """
    if not begins_as_parquet(path):
        raise InputError(str(path), "a Parquet file", "another format", "leave out --stream, or convert it")
    with _opened(path, path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    for ours, index in choose(schema.names, Wanted.of((*identifiers, *numbers)), str(path)).items():
        name, kind = schema.names[index], schema.types[index]
        tests = _IDENTIFIERS if ours in identifiers else _NUMBERS
        if name != ours:
            raise InputError(str(path), f"a column {ours}", repr(name), f"rename {name} to {ours}")
        if not any(test(kind) for test in tests):
            hint = "leave out --stream, or convert the column"
            raise InputError(
                f"{path}, column {name!r}", "text" if ours in identifiers else "numbers", str(kind), hint
            )
    if not rows:
        raise InputError(str(path), "at least one row", "a header and no rows", "write the table again")


_IDENTIFIERS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_dictionary)
_NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)


def _parquet(path: Path, source: Path | pa.BufferReader, wanted: Wanted) -> Foreign:
    with _opened(path, source) as file:
        names = file.schema_arrow.names
        chosen = choose(names, wanted, str(path))
        taken = [names[index] for index in chosen.values()]
        try:
            table = file.read(columns=taken).select(taken)
        except (OSError, pa.ArrowException):
            _no_parquet(path, "one that is cut off or damaged")
    return Foreign(path, table.rename_columns(list(chosen)))


def _opened(path: Path, source: Path | pa.BufferReader) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(source)
    except (OSError, pa.ArrowException):
        _no_parquet(path, "one that is cut off or damaged")


def _no_parquet(path: Path, found: str) -> NoReturn:
    raise InputError(
        str(path), "a whole Parquet file", found, "write it again, or give it the ending of what it is (.csv)"
    )
