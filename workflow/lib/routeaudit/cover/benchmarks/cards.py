"""What a card says about a passage: its title, or its title and topic words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from sklearn.feature_extraction.text import TfidfVectorizer

from routeaudit.cover.benchmarks.base import Passage

_WORD = r"(?u)\b[^\W\d_]{3,}\b"


class TopicWords:
    """Ranks a passage's words by TF-IDF over all passages of the kept records.

    Only public instance text results: words of the gold answers never become topics, and neither do the
    words of the title, which the card shows anyway.
    """

    def __init__(self, passages: Collection[Passage]) -> None:
        distinct = list(dict.fromkeys(passages))
        vectorizer = TfidfVectorizer(token_pattern=_WORD, stop_words="english", sublinear_tf=True)
        self._weights = vectorizer.fit_transform([" ".join(passage.sentences) for passage in distinct])
        self._names = vectorizer.get_feature_names_out()
        self._row_of = {passage: row for row, passage in enumerate(distinct)}

    def ranked(self, passage: Passage, answers: Sequence[str]) -> list[str]:
        """The passage's topic words, most telling first, ties in alphabetical order."""
        row = self._row_of[passage]
        own = slice(self._weights.indptr[row], self._weights.indptr[row + 1])
        hidden = words(passage.title).union(*map(words, answers))
        scored = [
            (-round(float(score), 9), str(self._names[column]))
            for column, score in zip(self._weights.indices[own], self._weights.data[own], strict=True)
        ]
        return [word for _, word in sorted(scored) if word not in hidden]


def topic_cards(
    gold: Sequence[Passage],
    others: Sequence[Passage],
    needed: int,
    ranked: Mapping[Passage, Sequence[str]],
    count: int,
) -> dict[Passage, str]:
    """Title and topic words of the passages of a task that can be dealt, equally many on every card.

    The number is `count`, or the largest that both gold passages and `needed` others have; passages with
    fewer get no card.
    """
    spare = sorted((len(ranked[passage]) for passage in others), reverse=True)
    shown = min(count, *(len(ranked[passage]) for passage in gold), *spare[needed - 1 : needed])
    return {
        passage: _card(passage, ranked[passage][:shown])
        for passage in (*gold, *others)
        if len(ranked[passage]) >= shown
    }


def _card(passage: Passage, shown: Sequence[str]) -> str:
    return f"{passage.title}; topics: {', '.join(shown)}" if shown else passage.title


def words(text: str) -> set[str]:
    """The lower-case words of a text."""
    return set(re.findall(r"\w+", text.lower()))
