"""What a card says about a passage: its title, or its title and topic words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sklearn.feature_extraction.text import TfidfVectorizer

from routeaudit.cover.benchmarks.base import Passage

_WORD = r"(?u)\b[^\W\d_]{3,}\b"


class TopicWords:
    """Ranks a passage's words by TF-IDF over all passages of the kept records.

    Only public instance text results: words of the gold answers never become topics, and neither do the
    words of the title, which the card shows anyway.
    """

    def __init__(self, passages: Collection[Passage]) -> None:
        self._vectorizer = TfidfVectorizer(token_pattern=_WORD, stop_words="english", sublinear_tf=True)
        self._vectorizer.fit([_text(passage) for passage in passages])
        self._names = self._vectorizer.get_feature_names_out()

    def ranked(self, passage: Passage, answers: Sequence[str]) -> list[str]:
        """The passage's topic words, most telling first, ties in alphabetical order."""
        row = self._vectorizer.transform([_text(passage)])
        hidden = words(passage.title).union(*map(words, answers))
        scored = [
            (-round(float(score), 9), str(self._names[column]))
            for column, score in zip(row.indices, row.data, strict=True)
        ]
        return [word for _, word in sorted(scored) if word not in hidden]


def topic_cards(
    passages: Sequence[Passage], answers: Sequence[str], topics: TopicWords, count: int
) -> list[str]:
    """One card per passage of a task: title and topic words, equally many on every card.

    The number is `count`, or what the passage with the fewest has.
    """
    ranked = [topics.ranked(passage, answers) for passage in passages]
    shown = min(count, *map(len, ranked))
    return [
        f"{passage.title}; topics: {', '.join(found[:shown])}" if shown else passage.title
        for passage, found in zip(passages, ranked, strict=True)
    ]


def words(text: str) -> set[str]:
    """The lower-case words of a text."""
    return set(re.findall(r"\w+", text.lower()))


def _text(passage: Passage) -> str:
    return " ".join(passage.sentences)
