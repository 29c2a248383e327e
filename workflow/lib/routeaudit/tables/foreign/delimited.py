"""Tables of separated values: the separator, the header, the rows, and where each of them stands."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.csv

from routeaudit.errors import InputError
from routeaudit.tables.foreign.header import Wanted, choose
from routeaudit.tables.foreign.records import numbered_rows

SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_LARGEST_BLOCK = (1 << 31) - 1
_SHOWN = 80


@dataclass(eq=False)
class _Lines:
    """Physical lines for `csv.reader`, without the comments between rows; knows where a row began."""

    source: io.TextIOWrapper
    between: bool = True
    number: int = 0
    first: int = 0
    comments: list[tuple[int, str]] = field(default_factory=list)
    kept: list[str] | None = None

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        for line in self.source:
            self.number += 1
            if self.between and line.startswith("#"):
                self.comments.append((self.number, line.rstrip("\n")))
                continue
            if self.between:
                self.first, self.between = self.number, False
            if self.kept is not None:
                self.kept.append(line)
            return line
        raise StopIteration


@dataclass(frozen=True, eq=False)
class Delimited:
    """A decoded text and its separator."""

    path: Path
    text: bytes
    separator: str

    def rows(self, lines: _Lines) -> Iterator[tuple[int, list[str]]]:
        """First line and fields of every row, the header included, slowly and strictly.

        Raises
        ------
        InputError : a quote that is not closed where its field ends
        """
        # A cell may hold a whole transcript; the module's default limit is 128 KiB.
        csv.field_size_limit(_LARGEST_BLOCK)
        reader = csv.reader(lines, delimiter=self.separator, strict=True)
        while True:
            lines.between = True
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error:
                self._unclosed(lines.first)
            if fields:
                yield lines.first, fields

    def lines(self) -> _Lines:
        """The text from its beginning."""
        return _Lines(io.TextIOWrapper(io.BytesIO(self.text), encoding="utf-8", newline=""))

    def row_lines(self) -> list[int]:
        """Line number of every row below the header."""
        if b'"' in self.text:
            return [line for line, _ in self.rows(self.lines())][1:]
        return [number for number, _ in numbered_rows(self.text)][1:]

    def _unclosed(self, line: int) -> NoReturn:
        raise InputError(
            f"{self.path}:{line}",
            "every opened quote closed at the end of its field",
            "a quote that opens in this row and is not closed there",
            f'close the quote in line {line}; a quote inside a quoted field is written ""',
        )


def read_delimited(path: Path, text: bytes, wanted: Wanted) -> tuple[pa.Table, Delimited]:
    """The wanted columns as text, and the source that knows the line of each row.

    Raises
    ------
    InputError : a wrong header, a ragged row, an unclosed quote, a line that may be a comment or a row
    """
    source = Delimited(path, text, _separator(text))
    header, body = _split(source)
    chosen = choose(header, wanted, _header_place(source))
    table = _parse(body, source, len(header), chosen)
    if b'"' in body and sum(1 for _ in numbered_rows(body)) != table.num_rows:
        _check_rows(source, len(header))
    return table.rename_columns(list(chosen)), source


def _separator(text: bytes) -> str:
    """The separator that splits the header line most often outside quotes."""
    _, line = next(numbered_rows(text), (0, b""))
    head = re.sub(r'"[^"]*"', "", line.decode())
    return max(SEPARATORS, key=head.count)


def _split(source: Delimited) -> tuple[list[str], bytes]:
    """The header's fields, and what follows it without comments."""
    lines = source.lines()
    _, header = next(source.rows(lines), (0, [""]))
    if source.text.startswith(b"#") or b"\n#" in source.text:
        return header, _without_comments(source, len(header))
    place = 0
    for _ in range(lines.number):
        place = source.text.find(b"\n", place) + 1 or len(source.text)
    return header, source.text[place:]


def _header_place(source: Delimited) -> str:
    lines = source.lines()
    line, _ = next(source.rows(lines), (1, []))
    return f"{source.path}:{line}"


def _without_comments(source: Delimited, width: int) -> bytes:
    lines = source.lines()
    next(source.rows(lines), None)
    lines.kept = []
    for _ in source.rows(lines):
        pass
    for number, comment in lines.comments:
        _check_comment(source, width, number, comment)
    return "".join(lines.kept).encode()


def _check_comment(source: Delimited, width: int, number: int, comment: str) -> None:
    """A # directly before as many fields as the table has columns may be a row that somebody needs."""
    fields = comment.split(source.separator)
    if width > 1 and len(fields) == width and comment[1:2].strip():
        raise InputError(
            f"{source.path}:{number}",
            "a comment or a row",
            f"{comment[:_SHOWN]!r}, which has the columns of a row",
            f'delete the line; if it is a row, write its first field as "{fields[0]}" in quotes',
        )


def _parse(body: bytes, source: Delimited, width: int, chosen: dict[str, int]) -> pa.Table:
    names = [str(index) for index in range(width)]
    taken = [names[index] for index in chosen.values()]
    if not body.strip():
        return pa.table({name: pa.array([], pa.string()) for name in taken})
    options = {
        "parse_options": pa.csv.ParseOptions(delimiter=source.separator, newlines_in_values=b'"' in body),
        "convert_options": pa.csv.ConvertOptions(
            include_columns=taken, column_types=dict.fromkeys(names, pa.string())
        ),
    }
    for block in (1 << 20, min(len(body) + 1, _LARGEST_BLOCK)):
        reading = pa.csv.ReadOptions(column_names=names, block_size=block)
        try:
            return pa.csv.read_csv(pa.BufferReader(body), read_options=reading, **options)
        except pa.ArrowInvalid:
            # The parser's own words name no line; a row may also only be longer than a block.
            _check_rows(source, width)
    raise InputError(
        str(source.path),
        "rows that can be parsed",
        "rows that cannot",
        "write the table again with a CSV library",
    )


def _check_rows(source: Delimited, width: int) -> None:
    for line, fields in source.rows(source.lines()):
        if len(fields) != width:
            name = SEPARATORS[source.separator]
            raise InputError(
                f"{source.path}:{line}",
                f"{width} columns, separated by {name}",
                f"{len(fields)} columns: {source.separator.join(fields)[:_SHOWN]!r}",
                _ragged_hint(source.separator, fields, width, line),
            )


def _ragged_hint(separator: str, fields: list[str], width: int, line: int) -> str:
    if len(fields) < width:
        return f"complete line {line}, or delete it"
    pairs = pairwise(fields)
    if separator == "," and any(a.strip() in ("0", "1") and b.strip().isdigit() for a, b in pairs):
        return f"write decimals with a point (0.5, not 0,5) in line {line}"
    return f"put the field of line {line} that holds {SEPARATORS[separator]} in double quotes"
