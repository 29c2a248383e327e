"""Which of a task's other paragraphs become distractors, and for which slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import bm25s

from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.seeding import seeded_order

Dealing = Literal["seeded", "bm25"]


def ranked(
    question: str, passages: Sequence[Passage], rule: Dealing, seed: int, task_id: str
) -> list[Passage]:
    """The passages in the order in which they are dealt.

    `seeded` is a random order fixed by (seed, task_id); `bm25` puts the passages that match the question
    best first (title and text, English stop words removed), ties in the seeded order.
    """
    shuffled = seeded_order(passages, seed, "distractors", task_id)
    if rule == "seeded" or not shuffled:
        return shuffled
    scores = _bm25_scores(question, shuffled)
    return [shuffled[i] for i in sorted(range(len(shuffled)), key=lambda i: -scores[i])]


def deal(passages: Sequence[Passage], places: Sequence[int]) -> list[list[Passage]]:
    """Deal passages in turn to slots with so many free places; stops when every place is taken.

    >>> [len(hand) for hand in deal(passages, (3, 2))]  # of at least five passages
    [3, 2]
    """
    hands: list[list[Passage]] = [[] for _ in places]
    turns = [slot for turn in range(max(places)) for slot, free in enumerate(places) if turn < free]
    for slot, passage in zip(turns, passages, strict=False):
        hands[slot].append(passage)
    return hands


def _bm25_scores(question: str, passages: Sequence[Passage]) -> list[float]:
    texts = [f"{passage.title} {' '.join(passage.sentences)}" for passage in passages]
    tokens = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    query = bm25s.tokenize([question], stopwords="en", return_ids=False, show_progress=False)[0]
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    return [round(float(score), 6) for score in index.get_scores(query)]
