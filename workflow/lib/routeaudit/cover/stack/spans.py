"""Names and numbers in a text: what an extractive finalizer may answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_WORD = rf"(?:{_CAPITAL}\.|{_CAPITAL}(?:[\w'’-]*\w)?)"
# A run of capitalised words and numbers, joined by a few small words; or a number.
_SPAN = re.compile(
    rf"{_WORD}(?:,? (?:(?:of|the|and|de|von|van|for|in) ){{0,2}}(?:{_WORD}|\d+\b))*|\d[\d,.:/-]*\d|\d"
)
_ARTICLES = frozenset({"the", "a", "an"})
# Words that open sentences; alone they name nothing.
_OPENERS = frozenset(
    (
        *("he", "she", "it", "they", "his", "her", "its", "their", "this", "that", "these", "those"),
        *("in", "on", "at", "by", "for", "from", "as", "after", "before", "during", "when", "while"),
        *("there", "both", "but"),
    )
)


def spans(texts: Iterable[str]) -> list[str]:
    """Every name and number of `texts`, each once, in order of appearance."""
    found = (_without_article(match.group()) for text in texts for match in _SPAN.finditer(text))
    return list(dict.fromkeys(span for span in found if span and span.lower() not in _OPENERS))


def _without_article(span: str) -> str:
    first, _, rest = span.partition(" ")
    return rest if first.lower() in _ARTICLES else span
