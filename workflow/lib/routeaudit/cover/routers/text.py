"""Public text as numbers: shared words and rarity over all public text, by scikit-learn and bm25s."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import bm25s
import numpy as np
import numpy.typing as npt
from bm25s.stopwords import STOPWORDS_EN
from sklearn.feature_extraction.text import TfidfVectorizer

from routeaudit.cover.routers.view import TaskView

Matrix = npt.NDArray[np.float64]

_WORD = re.compile(r"\w+")
_QUESTION_WORDS = frozenset(
    (
        "who",
        "whom",
        "whose",
        "what",
        "which",
        "when",
        "where",
        "why",
        "how",
        "did",
        "does",
        "do",
        "has",
        "had",
    )
)
_SKIPPED = frozenset(STOPWORDS_EN) | _QUESTION_WORDS


def words(text: str) -> list[str]:
    """Lower-cased content words in order."""
    return [word for word in _WORD.findall(text.lower()) if word not in _SKIPPED]


class Bm25Cards:
    """BM25 of questions against cards, with document frequencies over every public card."""

    def __init__(self, corpus: Iterable[TaskView]) -> None:
        self._place: dict[tuple[str, str], int] = {}
        cards: list[list[str]] = []
        for task in corpus:
            for worker, card in task.cards.items():
                self._place[task.task_id, worker] = len(cards)
                cards.append(words(card) or [""])
        self._index = bm25s.BM25()
        self._index.index(cards, show_progress=False)

    def scores(self, task: TaskView) -> Mapping[str, float]:
        """Score of each of the task's workers for its question."""
        known = [word for word in words(task.question) if word in self._index.vocab_dict]
        if not known:
            return dict.fromkeys(task.cards, 0.0)
        values = self._index.get_scores(known)
        return {worker: float(values[self._place[task.task_id, worker]]) for worker in task.cards}


class Similarity:
    """Cosine of TF-IDF vectors: whole words, and character 3- to 5-grams that forgive inflection."""

    def __init__(self, corpus: Sequence[TaskView]) -> None:
        texts = [text for task in corpus for text in (task.question, *task.cards.values())]
        self._words = TfidfVectorizer(analyzer=words, sublinear_tf=True).fit(texts)
        self._grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True).fit(texts)

    def by_words(self, left: Sequence[str], right: Sequence[str]) -> Matrix:
        """Cosines of shared words, len(left) by len(right)."""
        return _cosines(self._words, left, right)

    def by_grams(self, left: Sequence[str], right: Sequence[str]) -> Matrix:
        """Cosines of shared character n-grams, len(left) by len(right)."""
        return _cosines(self._grams, left, right)

    def rarity(self, word: str) -> float:
        """Inverse document frequency of a word over all public text; 0 for a word never seen."""
        place = self._words.vocabulary_.get(word)
        return 0.0 if place is None else float(self._words.idf_[place])


def _cosines(vectorizer: TfidfVectorizer, left: Sequence[str], right: Sequence[str]) -> Matrix:
    product = vectorizer.transform(left) @ vectorizer.transform(right).T
    return np.asarray(product.toarray(), dtype=np.float64)
