"""Names and numbers in a text: what an extractive finalizer may answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_WORD = rf"(?:{_CAPITAL}\.|{_CAPITAL}(?:[\w'’-]*\w)?)"
# A run of capitalised words and numbers, joined by a few small words; or a number. Dates are runs too.
_RUN = (
    rf"(?:(?:\d{{1,2}} )?{_WORD}(?: (?:(?:of|the|and|de|von|van) ){{0,2}}(?:{_WORD}|\d+\w*))*"
    r"|\d[\d,.:/-]*\d|\d)"
)
_SPAN = re.compile(rf"(?P<run>{_RUN})(?=(?P<rest>, {_RUN})?)")
_ARTICLES = frozenset({"the", "a", "an"})
# Words that open sentences; alone they name nothing.
_OPENERS = frozenset(
    (
        *("he", "she", "it", "they", "his", "her", "its", "their", "this", "that", "these", "those"),
        *("in", "on", "at", "by", "for", "from", "as", "after", "before", "during", "when", "while"),
        *("there", "both", "but"),
    )
)


def spans(texts: Iterable[str], question: str = "") -> list[str]:
    """Every name and number of `texts` that `question` does not name, each once, in order of appearance.

    Two with only a comma between them ("Montreal, Quebec") are one more.
    """
    asked = question.casefold()
    found = (span for text in texts for span in _spans(text))
    return list(dict.fromkeys(span for span in found if span.casefold() not in asked))


def _spans(text: str) -> Iterator[str]:
    for match in _SPAN.finditer(text):
        run = _without_article(match["run"])
        if run and run.lower() not in _OPENERS:
            yield run
            if match["rest"]:
                yield run + match["rest"]


def _without_article(span: str) -> str:
    first, _, rest = span.partition(" ")
    return rest if first.lower() in _ARTICLES else span
