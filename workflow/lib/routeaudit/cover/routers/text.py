"""Public text as numbers: shared words and their rarity over all public text, by scikit-learn and bm25s."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import bm25s
import numpy as np
import numpy.typing as npt
from bm25s.stopwords import STOPWORDS_EN
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from routeaudit.cover.encoder import Encode
from routeaudit.cover.routers.view import TaskView

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
T = TypeVar("T")

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
    return [word for word in _WORD.findall(text.lower()) if word not in _SKIPPED and len(word) > 1]


def head(card: str) -> str:
    """What a card is called: its text up to the first semicolon."""
    return card.partition(";")[0]


def body(card: str) -> str:
    """What a card says beyond its head; the whole card where it has no semicolon."""
    first, mark, rest = card.partition(";")
    return rest if mark else first


class Corpus:
    """All public tasks of a study, with word statistics made once and only when asked for.

    `encode` gives sentence vectors, where a router measures text by them.
    """

    def __init__(self, tasks: Sequence[TaskView], encode: Encode | None = None) -> None:
        self.tasks = tuple(tasks)
        self._encode = encode
        self._vectors: dict[str, Vector] = {}
        self._remembered: dict[tuple[str, str], Any] = {}

    def remember(self, name: str, task: TaskView, measure: Callable[[], T]) -> T:
        """What `measure` returns, measured once per name and task."""
        key = (name, task.task_id)
        if key not in self._remembered:
            self._remembered[key] = measure()
        found: T = self._remembered[key]
        return found

    def bm25(self, task: TaskView) -> Mapping[str, float]:
        """BM25 score of each of the task's cards for its question (the library's defaults)."""
        index, places = self._bm25_index
        known = [word for word in words(task.question) if word in index.vocab_dict]
        if not known:
            return dict.fromkeys(task.cards, 0.0)
        values = index.get_scores(known)
        return {worker: float(values[places[task.task_id, worker]]) for worker in task.cards}

    def by_words(self, left: Sequence[str], right: Sequence[str]) -> Matrix:
        """TF-IDF cosines of whole words, len(left) by len(right)."""
        return self._words.cosines(left, right)

    def by_grams(self, left: Sequence[str], right: Sequence[str]) -> Matrix:
        """TF-IDF cosines of character 3- to 5-grams, which forgive inflection."""
        return self._grams.cosines(left, right)

    def teams_by_words(self, task: TaskView) -> Vector:
        """TF-IDF cosines of whole words between the question and each team's joint text."""
        return self._words.joint_cosines(task)

    def teams_by_grams(self, task: TaskView) -> Vector:
        """TF-IDF cosines of character 3- to 5-grams between the question and each team's joint text."""
        return self._grams.joint_cosines(task)

    def by_meaning(self, left: Sequence[str], right: Sequence[str]) -> Matrix:
        """Cosines of sentence vectors."""
        return self._vectors_of(left) @ self._vectors_of(right).T

    def _vectors_of(self, texts: Sequence[str]) -> Matrix:
        """A vector of length 1 for each text; each distinct one is encoded once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            assert self._encode is not None, "a router that measures meaning declares features=dense"
            self._vectors |= dict(zip(new, self._encode(new), strict=True))
        return np.array([self._vectors[text] for text in texts])

    def share(self, wanted: Collection[str], found: Collection[str]) -> float:
        """How much of `wanted` is in `found`, weighted by rarity; 0 where nothing is wanted."""
        rarity = self._words.rarity
        weights = {word: rarity.get(word, 1.0) for word in sorted(set(wanted))}
        total = sum(weights.values())
        return sum(weight for word, weight in weights.items() if word in found) / total if total else 0.0

    @cached_property
    def _words(self) -> _Vectors:
        return _Vectors(CountVectorizer(analyzer=words), self._texts)

    @cached_property
    def _grams(self) -> _Vectors:
        return _Vectors(CountVectorizer(analyzer="char_wb", ngram_range=(3, 5)), self._texts)

    @cached_property
    def _texts(self) -> list[str]:
        return [text for task in self.tasks for text in (task.question, *task.cards.values())]

    @cached_property
    def _bm25_index(self) -> tuple[bm25s.BM25, Mapping[tuple[str, str], int]]:
        keys = [(task.task_id, worker) for task in self.tasks for worker in task.cards]
        cards = [words(card) or [""] for task in self.tasks for card in task.cards.values()]
        index = bm25s.BM25()
        index.index(cards, show_progress=False)
        return index, {key: place for place, key in enumerate(keys)}


class _Vectors:
    """TF-IDF vectors with statistics of `texts`, whose own vectors are made in one go."""

    def __init__(self, vectorizer: CountVectorizer, texts: Sequence[str]) -> None:
        self._vectorizer = vectorizer
        analyze = vectorizer.build_analyzer()
        # The library refuses a vocabulary without words, but a study may have blank texts only.
        said = texts if any(analyze(text) for text in texts) else [*texts, "nothing"]
        self._counts = vectorizer.fit_transform(said)
        self._weighting = TfidfTransformer(sublinear_tf=True).fit(self._counts)
        self._known = self._weighting.transform(self._counts)
        self._row = {text: row for row, text in enumerate(texts)}

    def cosines(self, left: Sequence[str], right: Sequence[str]) -> Matrix:
        product = self._of(left) @ self._of(right).T
        return np.asarray(product.toarray(), dtype=np.float64)

    def joint_cosines(self, task: TaskView) -> Vector:
        """Of the question and each team; a joint text counts what its cards count together."""
        members = [[self._row[task.cards[worker]] for worker in team.workers] for team in task.teams]
        sizes = [len(rows) for rows in members]
        shape = (len(members), self._counts.shape[0])
        rows = np.repeat(np.arange(len(members)), sizes)
        chosen = sparse.csr_matrix((np.ones(sum(sizes)), (rows, np.concatenate(members))), shape=shape)
        joint = self._weighting.transform(chosen @ self._counts, copy=False)
        return np.asarray((joint @ self._of([task.question]).T).toarray()[:, 0], dtype=np.float64)

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        """Inverse document frequency of every known word; a word never seen has 1, the least."""
        rare = self._weighting.idf_.tolist()
        return {word: rare[place] for word, place in self._vectorizer.vocabulary_.items()}

    def _of(self, texts: Sequence[str]) -> Any:
        rows = [self._row.get(text, -1) for text in texts]
        if -1 in rows:
            return self._weighting.transform(self._vectorizer.transform(texts))
        return self._known[rows]
