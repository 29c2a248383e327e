"""Local evidence: how well a card fits the question, and how well a second card continues a first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from routeaudit.cover.routers.text import Corpus, Matrix, body, head, words
from routeaudit.cover.routers.view import TaskView

CARD_NAMES = ("head_asked", "asked_in_card", "question_words", "question_grams", "bm25", "like_others")
PAIR_NAMES = (
    "second_head_in_first",
    "first_head_in_second",
    "bodies_share",
    "cards_grams",
    "rest_in_second",
    "rest_grams_second",
)


def card_names(dense: bool) -> tuple[str, ...]:
    """Names of the features of a card."""
    return (*CARD_NAMES, "question_meaning") if dense else CARD_NAMES


def pair_names(dense: bool) -> tuple[str, ...]:
    """Names of the features of a pair."""
    return (*PAIR_NAMES, "cards_meaning") if dense else PAIR_NAMES


@dataclass(frozen=True)
class TaskEvidence:
    """Raw features of one task.

    Parameters
    ----------
    places : row of each worker
    cards : workers by `card_names`
    pairs : workers (first) by workers (second) by `pair_names`
    """

    places: dict[str, int]
    cards: Matrix
    pairs: Matrix


def task_evidence(corpus: Corpus, task: TaskView, dense: bool = False) -> TaskEvidence:
    """Measure a task's cards, if `dense` by the similarity of sentence vectors too.

    Shares are weighted by the rarity of words. `rest` is the question without the words of the first
    card's head: what a second hop has to answer. `like_others` is the mean similarity to the task's other
    cards.
    """
    measure = _measure_dense if dense else _measure
    return corpus.remember(f"evidence {dense=}", task, lambda: measure(corpus, task))


def _measure(corpus: Corpus, task: TaskView) -> TaskEvidence:
    texts = list(task.cards.values())
    places = {worker: place for place, worker in enumerate(task.cards)}
    return TaskEvidence(places, _cards(corpus, task, texts), _pairs(corpus, task, texts))


def _measure_dense(corpus: Corpus, task: TaskView) -> TaskEvidence:
    told, texts = task_evidence(corpus, task), list(task.cards.values())
    asked = corpus.by_meaning([task.question], texts)[0]
    alike = corpus.by_meaning(texts, texts)
    return TaskEvidence(told.places, np.column_stack([told.cards, asked]), np.dstack([told.pairs, alike]))


def _cards(corpus: Corpus, task: TaskView, texts: Sequence[str]) -> Matrix:
    asked = words(task.question)
    retrieved = corpus.bm25(task)
    alike = corpus.by_words(texts, texts)
    return np.column_stack(
        [
            [corpus.share(words(head(text)), asked) for text in texts],
            [corpus.share(asked, words(text)) for text in texts],
            corpus.by_words([task.question], texts)[0],
            corpus.by_grams([task.question], texts)[0],
            [retrieved[worker] for worker in task.cards],
            (alike.sum(axis=1) - alike.diagonal()) / max(len(texts) - 1, 1),
        ]
    )


def _pairs(corpus: Corpus, task: TaskView, texts: Sequence[str]) -> Matrix:
    heads, bodies = [words(head(text)) for text in texts], [words(body(text)) for text in texts]
    rests = [[word for word in words(task.question) if word not in named] for named in heads]
    continued = _shares(corpus, heads, bodies)
    return np.stack(
        [
            continued.T,
            continued,
            _shares(corpus, bodies, bodies),
            corpus.by_grams(texts, texts),
            _shares(corpus, rests, [words(text) for text in texts]),
            corpus.by_grams([" ".join(rest) for rest in rests], texts),
        ],
        axis=2,
    )


def _shares(corpus: Corpus, wanted: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> Matrix:
    return np.array([[corpus.share(row, column) for column in found] for row in wanted])
