"""Artifacts are complete, canonical and digestible."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.errors import InputError
from routeaudit.tables import (
    content_digest,
    read_table,
    schema,
    table_digest,
    write_atomic,
    write_table,
    write_text,
)

NOTES = schema("notes", ("name",), name=pa.string(), size=pa.float64(), tags=(pa.list_(pa.string()), "null"))
ROWS = [
    {"name": "b", "size": 1.0, "tags": ["x"]},
    {"name": "a", "size": 0.1 + 0.2, "tags": None},
]


def test_a_table_comes_back_sorted_and_equal(tmp_path: Path) -> None:
    path = tmp_path / "notes.parquet"
    write_table(path, NOTES.from_rows(ROWS), NOTES)
    assert read_table(path, NOTES).to_pylist() == [ROWS[1], ROWS[0]]


@given(st.permutations(ROWS), st.integers(0, 2))
def test_the_digest_does_not_depend_on_row_order_or_chunks(rows: list[dict[str, object]], size: int) -> None:
    chunked = pa.concat_tables([NOTES.from_rows(rows[:size]), NOTES.from_rows(rows[size:])])
    assert table_digest(NOTES.conform(chunked, "here")) == table_digest(NOTES.from_rows(ROWS))


def test_the_digest_depends_on_a_value(tmp_path: Path) -> None:
    write_table(tmp_path / "x.parquet", NOTES.from_rows(ROWS), NOTES)
    write_table(tmp_path / "y.parquet", NOTES.from_rows([ROWS[0], ROWS[1] | {"size": 0.3}]), NOTES)
    assert content_digest(tmp_path / "x.parquet") != content_digest(tmp_path / "y.parquet")


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([ROWS[0], ROWS[0]], "the key twice"),
        ([{"name": None, "size": 1.0, "tags": None}], "nothing"),
    ],
)
def test_bad_rows_are_refused_with_their_key(rows: list[dict[str, object]], found: str) -> None:
    with pytest.raises(InputError, match=found):
        NOTES.from_rows(rows)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InputError, match="size"):
        NOTES.conform(pa.table({"name": ["a"], "tags": [None]}), "here")


def test_a_failing_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    write_text(path, "old")

    def full(partial: Path) -> None:
        partial.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write_atomic(path, full)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
