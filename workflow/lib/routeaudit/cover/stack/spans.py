"""Names and numbers in a text: what an extractive finalizer may answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

# A run of capitalised words, joined by a few small words; or a number; or a quoted title.
_WORD = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*\w|[^\W\d_a-zß-öø-ÿ]"
_SPAN = re.compile(
    rf"(?:{_WORD})(?:,? (?:(?:of|the|and|de|von|van|for|in) ){{0,2}}(?:{_WORD}|\d+))*"
    r"|\d[\d,.:/-]*\d|\d"
)
_ARTICLES = frozenset({"the", "a", "an"})


def spans(texts: Iterable[str]) -> list[str]:
    """Every name and number of `texts`, each once, in order of appearance."""
    found = (match.group() for text in texts for match in _SPAN.finditer(text))
    return list(dict.fromkeys(span for span in map(_without_article, found) if span))


def _without_article(span: str) -> str:
    first, _, rest = span.partition(" ")
    return rest if first.lower() in _ARTICLES else span
