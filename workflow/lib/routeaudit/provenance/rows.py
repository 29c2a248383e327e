"""How the rows of two tables of one kind differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from routeaudit.errors import InputError
from routeaudit.provenance.params import shortened, spelled

_SHOWN = 3
Row = dict[str, Any]


def compare_tables(first: Path, second: Path) -> Iterator[str]:
    """Lines that say how many rows differ and how the first few do.

    Rows are matched by the fewest leading columns that identify them in both tables; artifacts store
    their key columns first. Without such columns, rows are matched by their place.
    """
    tables = _read(first), _read(second)
    names = [table.column_names for table in tables]
    if names[0] != names[1]:
        yield f"columns: {', '.join(names[0])} -> {', '.join(names[1])}"
        return
    rows = tables[0].to_pylist(), tables[1].to_pylist()
    key = _key(names[0], rows)
    before, after = ({_identity(row, key, place): row for place, row in enumerate(side)} for side in rows)
    changed = [k for k in before if k in after and _differ(before[k], after[k])]
    removed, added = [k for k in before if k not in after], [k for k in after if k not in before]
    yield (
        f"rows: {len(before)} -> {len(after)}; {len(changed)} differ, {len(removed)} only in the first, "
        f"{len(added)} only in the second"
    )
    yield from (f"row {shortened(k, 100)}: {_cells(before[k], after[k])}" for k in changed[:_SHOWN])
    yield from (f"row {shortened(k, 100)}: only in the first" for k in removed[:_SHOWN])
    yield from (f"row {shortened(k, 100)}: only in the second" for k in added[:_SHOWN])


def _read(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            return file.read()
    except (OSError, pa.ArrowException) as error:
        raise InputError(str(path), "a Parquet file", str(error), "rerun its stage") from None


def _key(columns: list[str], rows: tuple[list[Row], list[Row]]) -> list[str]:
    for count in range(1, len(columns)):
        key = columns[:count]
        if all(len({_identity(row, key, 0) for row in side}) == len(side) for side in rows):
            return key
    return []


def _identity(row: Row, key: list[str], place: int) -> str:
    if not key:
        return f"number {place + 1}"
    return ", ".join(f"{column}={spelled(row[column])}" for column in key)


def _cells(before: Row, after: Row) -> str:
    changed = [name for name in before if _differ(before[name], after[name])]
    return ", ".join(f"{name} {shortened(before[name])} -> {shortened(after[name])}" for name in changed)


def _differ(before: Any, after: Any) -> bool:
    """Compared as text: two NaN are the same value here."""
    return repr(before) != repr(after)
