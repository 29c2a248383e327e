"""Canonical artifact files: what is written is complete, sorted and digestible.

The content digest is taken from the table as read back: file bytes differ between pyarrow releases,
content does not.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from routeaudit.errors import InputError
from routeaudit.tables.schema import TableSchema

_ROW_GROUP_ROWS = 1 << 17


def write_atomic(path: Path, write: Callable[[Path], None]) -> None:
    """Run `write` on a temporary sibling, flush it to disk, then rename it to `path`.

    A process killed at any moment leaves the old file or the new one, never a part.
    """
    partial = path.with_name(f"{path.name}.tmp.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(partial)
        with partial.open("rb") as handle:
            os.fsync(handle.fileno())
        partial.replace(path)
    except OSError as error:
        raise InputError(
            str(path), "room and permission to write", str(error), "free the disk and rerun"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write `text` atomically as UTF-8."""

    def write(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8")

    write_atomic(path, write)


def canonical_json(value: Any) -> str:
    """The one JSON spelling of `value`: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def write_json(path: Path, value: Any) -> None:
    """Write `value` atomically as readable JSON with sorted keys."""
    write_text(path, json.dumps(value, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file; a malformed one is an `InputError` that names the line."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{error.lineno}", "valid JSON", error.msg, "repair or remake the file"
        ) from None


def write_table(path: Path, table: pa.Table, schema: TableSchema) -> None:
    """Write `table` canonically: conforming, sorted by key, fixed writer settings, atomic."""
    plain = schema.conform(table, str(path)).replace_schema_metadata(None)
    write_atomic(
        path,
        lambda partial: pq.write_table(
            plain,
            partial,
            compression="zstd",
            version="2.6",
            data_page_version="1.0",
            row_group_size=_ROW_GROUP_ROWS,
            store_schema=False,
        ),
    )


def read_table(path: Path, schema: TableSchema) -> pa.Table:
    """Read an artifact and hold it against its schema."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            str(path), f"a Parquet file of {schema.name}", str(error), "rerun its stage"
        ) from None
    return schema.conform(table, str(path))


def table_digest(table: pa.Table) -> str:
    """sha256 over the table's schema and values, independent of chunking and file format."""
    plain = table.replace_schema_metadata(None).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, plain.schema) as writer:
        writer.write_table(plain, max_chunksize=_ROW_GROUP_ROWS)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def file_digest(path: Path) -> str:
    """sha256 over the bytes of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def content_digest(path: Path) -> str:
    """Digest of what a file says: the table of a Parquet file, the bytes of any other."""
    if path.suffix != ".parquet":
        return file_digest(path)
    with pq.ParquetFile(path) as file:
        return table_digest(file.read(use_threads=False))


def text_digest(text: str) -> str:
    """sha256 of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()
