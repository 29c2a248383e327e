"""Largest value of each task in a table sorted by task: the one pass that regret over large tables costs."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from routeaudit.inference.units import IntArray

_WIDE = 128
_CELLS = 1 << 16


Values = TypeVar("Values", np.float32, np.float64)


def task_maximum(values: npt.NDArray[Values], offsets: IntArray) -> npt.NDArray[Values]:
    """Maximum of ``values[offsets[t]:offsets[t + 1]]`` for every t, in the dtype of ``values``.

    Families of one size are a matrix: few teams are compared by windows of doubling width in blocks that stay
    in the cache, many teams row by row. Families of different sizes take the general reduction.
    """
    sizes = np.diff(offsets)
    if not sizes.size or np.any(sizes != sizes[0]):
        general: npt.NDArray[Values] = np.maximum.reduceat(values, offsets[:-1])
        return general
    table = values.reshape(sizes.size, int(sizes[0]))
    if table.shape[1] < _WIDE:
        return _by_windows(table)
    wide: npt.NDArray[Values] = table.max(axis=1)
    return wide


def _by_windows(table: npt.NDArray[Values]) -> npt.NDArray[Values]:
    """Row maxima; comparing whole contiguous blocks with themselves, shifted, outruns strided columns."""
    rows, teams = table.shape
    best = np.empty(rows, dtype=table.dtype)
    step = max(1, _CELLS // teams)
    scratch = np.empty((2, step * teams), dtype=table.dtype)
    for start in range(0, rows, step):
        window, width = table[start : start + step].ravel(), 1
        while 2 * width <= teams:
            wider = scratch[0, : window.size - width]
            np.maximum(window[:-width], window[width:], out=wider)
            window, width, scratch = wider, 2 * width, scratch[::-1]
        np.maximum(window[::teams], window[teams - width :: teams], out=best[start : start + step])
    return best
