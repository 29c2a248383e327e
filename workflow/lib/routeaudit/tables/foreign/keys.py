"""Integer codes of equal rows, so that keys of many rows are compared without Python objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Codes = npt.NDArray[np.int64]


def codes(column: pa.ChunkedArray | pa.Array) -> Codes:
    """Codes of equal entries in order of appearance; null has its own."""
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    return np.asarray(encoded.indices).astype(np.int64)


def keys(table: pa.Table, names: Sequence[str]) -> Codes:
    """One code per combination of columns."""
    found = np.zeros(table.num_rows, dtype=np.int64)
    for name in names:
        if name in table.column_names:
            code = codes(table[name])
            found = found * (int(code.max(initial=0)) + 1) + code
    return found


def places(key: Codes) -> Codes:
    """How many equal keys stand before each row."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    found = np.empty(key.size, dtype=np.int64)
    found[order] = np.arange(key.size) - np.searchsorted(ordered, ordered)
    return found


def repeated(key: Codes) -> tuple[int, int] | None:
    """First row whose key an earlier row has, behind that earlier row; None where all differ."""
    order = np.argsort(key, kind="stable")
    again = order[np.flatnonzero(np.diff(key[order]) == 0) + 1]
    if not again.size:
        return None
    row = int(again.min())
    return int(np.argmax(key == key[row])), row
