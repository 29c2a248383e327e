"""From sorted candidate columns to blocks: offsets, problem codes and the selected position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.deliberation.arrays import AnyArray, BoolArray, IntArray
from routeaudit.deliberation.blocks import Blocks, first_seen_argmax
from routeaudit.errors import InputError


@dataclass(frozen=True)
class Codes:
    """Values as codes 0..G-1 in the sorted order of the distinct values, so row order cannot matter."""

    code: IntArray
    values: tuple[object, ...]


def encode(values: pa.Array | pa.ChunkedArray) -> Codes:
    """Codes (n,) of a column without nulls."""
    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    encoded = whole.dictionary_encode()
    order = np.asarray(pc.sort_indices(encoded.dictionary), dtype=np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Codes(rank[np.asarray(encoded.indices)], tuple(encoded.dictionary.take(order).to_pylist()))


def run_offsets(columns: Sequence[AnyArray]) -> IntArray:
    """Row where each run of equal keys begins, with the row count at the end: (NB + 1,)."""
    n = len(columns[0])
    if n == 0:
        return np.zeros(1, dtype=np.int64)
    changed = np.zeros(n - 1, dtype=bool)
    for column in columns:
        changed |= column[1:] != column[:-1]
    return np.concatenate([[0], np.flatnonzero(changed) + 1, [n]])


def selected_positions(offsets: IntArray, flagged: BoolArray) -> IntArray:
    """Position in its block of the one flagged row; -1 where no row is flagged.

    Raises
    ------
    InputError : a block with two selected polls
    """
    starts = offsets[:-1]
    if len(starts) == 0:
        return np.empty(0, dtype=np.int64)
    counted = np.add.reduceat(flagged, starts, dtype=np.int64)
    if counted.max() > 1:
        twice = int(np.argmax(counted > 1))
        raise InputError(
            f"block {twice}", "one selected poll", "at least two", "log the poll that got the turn only"
        )
    position = np.full(len(starts), -1, dtype=np.int64)
    chosen = counted == 1
    position[chosen] = np.flatnonzero(flagged) - starts[chosen]
    return position


def blocks_from_table(table: pa.Table) -> tuple[Blocks, tuple[object, ...]]:
    """Blocks and problem names from a candidate table whose rows are grouped by block.

    Columns: ``block``, ``problem_uid``, ``score`` (null: none), ``valid``, ``correct`` (read where valid)
    and, where the runtime logged it, ``selected``; else the first-seen argmax is taken.
    """
    offsets = run_offsets([table["block"].to_numpy()])
    problems = encode(table["problem_uid"].take(pa.array(offsets[:-1])))
    score = table["score"].to_numpy()
    if np.issubdtype(score.dtype, np.floating):
        score = np.where(np.isnan(score), -np.inf, score)
    valid = table["valid"].to_numpy()
    if "selected" in table.column_names:
        chosen = selected_positions(offsets, table["selected"].to_numpy())
    else:
        chosen = first_seen_argmax(offsets, score)
    correct = table["correct"].to_numpy() & valid
    blocks = Blocks(offsets, score, valid, correct, chosen, problems.code, len(problems.values))
    return blocks, problems.values
