"""Largest value of each task in a table sorted by task: the one pass that regret over large tables costs."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from routeaudit.inference.units import IntArray

_WIDE = 128
_ROWS = 4096


Values = TypeVar("Values", np.float32, np.float64)


def task_maximum(values: npt.NDArray[Values], offsets: IntArray) -> npt.NDArray[Values]:
    """Maximum of ``values[offsets[t]:offsets[t + 1]]`` for every t, in the dtype of ``values``.

    Families of one size are a matrix: few teams are compared column by column in blocks that stay in the
    cache, many teams row by row. Families of different sizes take the general reduction.
    """
    sizes = np.diff(offsets)
    if not sizes.size or np.any(sizes != sizes[0]):
        general: npt.NDArray[Values] = np.maximum.reduceat(values, offsets[:-1])
        return general
    table = values.reshape(sizes.size, int(sizes[0]))
    if table.shape[1] < _WIDE:
        return _by_column(table)
    wide: npt.NDArray[Values] = table.max(axis=1)
    return wide


def _by_column(table: npt.NDArray[Values]) -> npt.NDArray[Values]:
    best = table[:, 0].copy()
    for start in range(0, best.size, _ROWS):
        block, out = table[start : start + _ROWS], best[start : start + _ROWS]
        for column in block.T[1:]:
            np.maximum(out, column, out=out)
    return best
