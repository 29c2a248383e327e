"""Artifact schemas and canonical Parquet reading and writing."""

from routeaudit.tables.files import (
    canonical_json,
    content_digest,
    file_digest,
    read_json,
    read_table,
    table_digest,
    text_digest,
    write_atomic,
    write_json,
    write_table,
    write_text,
)
from routeaudit.tables.schema import TableSchema, schema

__all__ = [
    "TableSchema",
    "canonical_json",
    "content_digest",
    "file_digest",
    "read_json",
    "read_table",
    "schema",
    "table_digest",
    "text_digest",
    "write_atomic",
    "write_json",
    "write_table",
    "write_text",
]
