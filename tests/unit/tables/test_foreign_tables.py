"""The same table reads back equal from every format; what pandas and spreadsheets write is understood."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from foreign_formats import FORMATS
from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.errors import InputError
from routeaudit.tables.foreign import Wanted, read_foreign, values
from routeaudit.tables.foreign.header import plain

WANTED = Wanted.of(("task_id", "value"), ("note", "right"))
# Any text that a CSV can hold; a first field beginning with # would be a comment. Carriage returns are what
# line ends are made of; Python and Arrow differ in whether \x1c to \x1f are spaces.
TEXT = st.text(
    st.characters(
        codec="utf-8", exclude_characters="\x00\r\x1c\x1d\x1e\x1f\ufeff", exclude_categories=("Cs",)
    )
)
IDS = TEXT.filter(lambda t: t.strip() and not t.startswith("#"))


@st.composite
def tables(draw):
    count = draw(st.integers(1, 6))

    def column(cells):
        return draw(st.lists(cells, min_size=count, max_size=count))

    numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-9, 9)
    ids = draw(st.sampled_from([IDS, st.integers(-(2**62), 2**62)]))
    value = [None if cell is None else float(cell) for cell in column(numbers)]
    return {"task_id": column(ids), "value": value, "note": column(TEXT), "right": column(st.booleans())}


def read(path: Path) -> list[list[object]]:
    found = read_foreign(path, WANTED)
    number = [None if math.isnan(v) else v for v in values.numbers(found, "value").tolist()]
    text = values.optional_text(found, "note").to_pylist()
    ids, flags = values.identifiers(found, "task_id"), values.flags(found, "right")
    return [ids.to_pylist(), number, text, flags.to_pylist()]


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_the_same_table_reads_back_equal_from_every_format(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    notes = [note if note.strip() else None for note in table["note"]]
    wanted = [[str(i) for i in table["task_id"]], table["value"], notes, table["right"]]
    for name, write in FORMATS.items():
        (folder / name).write_bytes(write(table))
        assert read(folder / name) == wanted, name


@given(st.lists(st.sampled_from(["Task ID", " task-id", "TASK_ID ", "task  id", "task_id"]), min_size=1))
def test_spellings_of_a_header_are_one_name(names):
    assert {plain(name) for name in names} == {"task_id"}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def ids(path: Path) -> list[str]:
    return values.identifiers(read_foreign(path, Wanted.of(("task_id",))), "task_id").to_pylist()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"task_id": "2024-01-01"}\n{"task_id": "2024-01-02"}\n', ["2024-01-01", "2024-01-02"]),
        ('{"task_id": 1}\n{"task_id": "1b"}\n', ["1", "1b"]),
        ('{"task_id": 12345678901234567890}\n{"task_id": 1}\n', ["12345678901234567890", "1"]),
        ('{"task_id": 1.0}\n{"task_id": 2}\n', ["1", "2"]),
        ('# by hand\n{"task_id": "001"}\n\n# more\n{"task_id": true}\n', ["001", "true"]),
    ],
)
def test_json_ids_are_the_text_that_was_written(tmp_path, content, expected):
    assert ids(written(tmp_path, "t.jsonl", content)) == expected


def test_a_float_column_of_whole_ids_is_text_without_a_point(tmp_path):
    pq.write_table(pa.table({"task_id": [1.0, 2.5]}), tmp_path / "t.parquet")
    assert ids(tmp_path / "t.parquet") == ["1", "2.5"]


def test_pandas_categories_and_index_columns_are_understood(tmp_path):
    table = pa.table({"task_id": pa.array(["a", "b", "a"]).dictionary_encode()})
    pq.write_table(table, tmp_path / "t.parquet")
    assert ids(tmp_path / "t.parquet") == ["a", "b", "a"]
    assert ids(written(tmp_path, "t.csv", ",task_id,\n0,a,\n1,b,\n")) == ["a", "b"]


def test_a_row_is_named_by_its_line_through_comments_blanks_and_long_cells(tmp_path):
    long = "x" * 3_000_000
    text = f'# note\n\ntask_id,other\n# note\n"a","{long}\n# kept\n\n"\n\nb,1\n ,2\n'
    found = read_foreign(written(tmp_path, "t.csv", text), Wanted.of(("task_id",), ("other",)))
    assert found.table["other"].to_pylist()[0] == f"{long}\n# kept\n\n"
    with pytest.raises(InputError, match=r"t\.csv:11, column 'task_id'"):
        values.identifiers(found, "task_id")


@pytest.mark.parametrize("rows", ['a,"x\nb,"y\nc,z', 'a,x\nb,"y\nc,z', 'a,"x" y\nb,"z\n"'])
def test_an_unclosed_quote_never_swallows_rows(tmp_path, rows):
    with pytest.raises(InputError, match="quote that opens"):
        read_foreign(
            written(tmp_path, "t.csv", f"task_id,other\n{rows}\n"), Wanted.of(("task_id",), ("other",))
        )


@pytest.mark.parametrize("method", ["open", "exists"])
def test_a_file_that_may_not_be_read_is_refused_in_our_words(method, tmp_path, monkeypatch):
    path = written(tmp_path, "t.csv", "task_id\n1\n")

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, method, denied)
    with pytest.raises(InputError, match="Permission denied"):
        ids(path)


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path):
    (tmp_path / "task_id=7").mkdir()
    pq.write_table(pa.table({"task_id": ["a"]}), tmp_path / "task_id=7" / "t.parquet")
    assert ids(tmp_path / "task_id=7" / "t.parquet") == ["a"]


@pytest.mark.parametrize(("scale", "expected"), [(100, [95.0, 7.5]), (1, [0.95, 0.075])])
def test_percent_is_out_of_a_hundred(tmp_path, scale, expected):
    found = read_foreign(written(tmp_path, "t.csv", "task_id\n95%\n 7.5 % \n"), Wanted.of(("task_id",)))
    assert np.array_equal(values.numbers(found, "task_id", scale), expected)


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.string()), pa.struct([("a", pa.int64())]), pa.binary(), pa.date32()]
)
def test_columns_that_are_no_numbers_are_refused_in_our_words(tmp_path, kind):
    pq.write_table(pa.table({"task_id": pa.nulls(1, kind)}), tmp_path / "t.parquet")
    with pytest.raises(InputError):
        values.numbers(read_foreign(tmp_path / "t.parquet", Wanted.of(("task_id",))), "task_id")


@settings(max_examples=200, deadline=None)
@given(
    content=st.binary(max_size=200), name=st.sampled_from(["t.csv", "t.jsonl", "t.json", "t.parquet", "t"])
)
def test_any_bytes_are_read_or_refused_in_our_words(content, name, tmp_path_factory):
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(content)
    with pytest.raises(InputError):
        values.identifiers(read_foreign(path, Wanted.of(("task_id", "never_there"))), "task_id")


@settings(max_examples=300, deadline=None)
@given(rows=st.text(st.sampled_from('a1,"\n\r#; \t%.{}[]'), max_size=40))
def test_any_text_below_a_good_header_is_read_or_refused_in_our_words(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    for name, head in (("t.csv", "task_id,value\n"), ("t.jsonl", '{"task_id": 1, "value": 2}\n')):
        path = written(folder, name, head + rows)
        with contextlib.suppress(InputError):
            found = read_foreign(path, Wanted.of(("task_id", "value")))
            values.identifiers(found, "task_id"), values.numbers(found, "value", 100)
            found.place(found.table.num_rows - 1)
