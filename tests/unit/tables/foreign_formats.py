"""One table written in every format that other people use."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

Columns = Mapping[str, Sequence[object]]


def _separated(columns: Columns, separator: str, end: str = "\n") -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator=end)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return buffer.getvalue()


def _rows(columns: Columns) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _parquet(columns: Columns) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({name: pa.array(cells) for name, cells in columns.items()}), buffer)
    return buffer.getvalue()


def _lines(columns: Columns) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in _rows(columns)).encode()


FORMATS: dict[str, Callable[[Columns], bytes]] = {
    "comma.csv": lambda c: _separated(c, ",").encode(),
    "tab.tsv": lambda c: _separated(c, "\t").encode(),
    "semicolon.csv": lambda c: _separated(c, ";").encode(),
    "bar.txt": lambda c: _separated(c, "|").encode(),
    "bom.csv": lambda c: codecs.BOM_UTF8 + _separated(c, ",").encode(),
    "utf16.csv": lambda c: _separated(c, ",").encode("utf-16"),
    "windows.csv": lambda c: _separated(c, ",", "\r\n").encode(),
    "packed.csv.gz": lambda c: gzip.compress(_separated(c, ",").encode()),
    "lines.jsonl": _lines,
    "lines.ndjson.gz": lambda c: gzip.compress(_lines(c)),
    "array.json": lambda c: json.dumps(_rows(c), indent=1).encode(),
    "table.parquet": _parquet,
    "packed.parquet.gz": lambda c: gzip.compress(_parquet(c)),
}
