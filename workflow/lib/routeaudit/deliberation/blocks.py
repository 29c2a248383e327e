"""Poll blocks as flat arrays, and their cut into groups of equal size.

A block is one poll of all agents (trace, round, turn). Blocks are ragged; within one block size every
metric is a handful of column operations, so nothing here loops over blocks and nothing is padded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, BoolArray, IntArray


@dataclass(frozen=True)
class Blocks:
    """Polls of NB blocks, n rows, sorted by block and inside a block by the order the router saw them.

    offsets : (NB + 1,) row where each block begins
    score : (n,) score as reported; ``-inf`` where the poll has none (it then sorts below every score)
    valid : (n,) the predicate of statistics A10
    correct : (n,) label of the candidate; False where ``valid`` is False
    selected : (NB,) position inside the block of the selected poll
    cluster : (NB,) problem code 0..G-1
    answer : (n,) code of the normalised answer, equal codes are equal answers; None if answers are unknown
    """

    offsets: IntArray
    score: AnyArray
    valid: BoolArray
    correct: BoolArray
    selected: IntArray
    cluster: IntArray
    n_clusters: int
    answer: IntArray | None = None

    @property
    def n_blocks(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> IntArray:
        return np.diff(self.offsets)

    def block_of_row(self) -> IntArray:
        return np.repeat(np.arange(self.n_blocks), self.sizes)

    def with_scores(self, score: AnyArray) -> Blocks:
        return replace(self, score=score)


@dataclass(frozen=True)
class DenseBlocks:
    """The k blocks that have m polls: arrays (m, k), one contiguous row per poll position."""

    index: IntArray
    score: AnyArray
    valid: BoolArray
    correct: BoolArray
    selected: IntArray
    answer: IntArray | None

    def at_selected(self, values: AnyArray) -> AnyArray:
        """The entry of ``values`` (m, k) at each block's selected poll: (k,)."""
        picked: AnyArray = np.take_along_axis(values, self.selected[None, :], axis=0)[0]
        return picked


Cut = Callable[[AnyArray], AnyArray]


def size_groups(offsets: IntArray) -> Iterator[tuple[IntArray, Cut]]:
    """Blocks of one size at a time: their indices (k,) and a cut from row values (n,) to (m, k)."""
    sizes = np.diff(offsets)
    if sizes.size and sizes[0] and (sizes == sizes[0]).all():
        yield np.arange(len(sizes)), _transpose(int(sizes[0]))
        return
    for size in np.unique(sizes[sizes > 0]):
        index = np.flatnonzero(sizes == size)
        yield index, _gather(offsets[index][None, :] + np.arange(size)[:, None])


def _transpose(size: int) -> Cut:
    return lambda values: np.ascontiguousarray(values.reshape(-1, size).T)


def _gather(rows: IntArray) -> Cut:
    return lambda values: values[rows]


def dense_groups(blocks: Blocks) -> Iterator[DenseBlocks]:
    """Groups of equal block size; blocks without any poll are left out."""
    for index, cut in size_groups(blocks.offsets):
        yield DenseBlocks(
            index=index,
            score=cut(blocks.score),
            valid=cut(blocks.valid),
            correct=cut(blocks.correct),
            selected=blocks.selected[index],
            answer=None if blocks.answer is None else cut(blocks.answer),
        )


def first_seen_argmax(offsets: IntArray, score: AnyArray) -> IntArray:
    """Runtime rule: position in its block of the first poll with the highest score of ALL polls, (NB,)."""
    chosen = np.full(len(offsets) - 1, -1, dtype=np.int64)
    for index, cut in size_groups(offsets):
        chosen[index] = np.argmax(cut(score), axis=0)
    return chosen
