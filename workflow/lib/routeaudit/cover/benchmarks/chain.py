"""Two-hop questions with supporting titles; hop order is decided on public text: question and titles."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from pydantic import BaseModel, Field
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from routeaudit.config.benchmarks import ChainedConfig
from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.benchmarks.multihop import TwoHop
from routeaudit.errors import InputError

HOP_ORDER_UNDECIDED = "hop_order_undecided"
NOT_TWO_SOURCES = "not_two_supporting_paragraphs"
_QUALIFIER = re.compile(r"\s*\([^)]*\)$")


class ChainRecord(BaseModel):
    """HotpotQA or 2WikiMultihopQA"""

    id: str = Field(alias="_id", min_length=1)
    question: str
    answer: str
    type: str
    level: str | None = None
    supporting_facts: list[tuple[str, int]]
    context: list[tuple[str, list[str]]] | None = None


def chained_question(record: ChainRecord, where: str, config: ChainedConfig) -> TwoHop | str:
    """The record as a two-hop question whose sources are its supporting titles, or why it is none."""
    passages = context_passages(record.context or [])
    titles = [html.unescape(title) for title, _ in record.supporting_facts]
    pair = supporting_pair(titles, passages, where)
    if pair is None:
        return NOT_TWO_SOURCES
    gold = hop_order(record.question, pair, config)
    if gold is None:
        return HOP_ORDER_UNDECIDED
    return TwoHop(
        original_id=record.id,
        question=record.question,
        answer=record.answer,
        aliases=(),
        passages=passages,
        gold=gold,
        source_ids=tuple(passage.title for passage in gold),
        tier=record.level or record.type,
    )


def context_passages(context: Sequence[tuple[str, list[str]]]) -> tuple[Passage, ...]:
    """A record's paragraphs; a unit id is the paragraph's position in the record."""
    return tuple(
        Passage(f"p{place}", html.unescape(title), tuple(s.strip() for s in parts if s.strip()))
        for place, (title, parts) in enumerate(context)
    )


def title_share(title: str, question: str) -> float:
    """Share of the title's words (without stop words and a closing qualifier) that the question contains.

    >>> title_share("The Zone (2017 film)", "Who directed the film The Zone?")
    1.0
    """
    named = _words(_QUALIFIER.sub("", title))
    telling = [word for word in named if word not in ENGLISH_STOP_WORDS] or named
    asked = set(_words(question))
    return sum(word in asked for word in telling) / len(telling) if telling else 0.0


def title_verbatim(title: str, question: str) -> float:
    """1 where the whole title (without a closing qualifier) stands in the question word for word, else 0."""
    named, asked = _words(_QUALIFIER.sub("", title)), _words(question)
    starts = range(len(asked) - len(named) + 1)
    return float(bool(named) and any(asked[start : start + len(named)] == named for start in starts))


_RULES: dict[str, Callable[[str, str], float]] = {
    "title_share": title_share,
    "title_verbatim": title_verbatim,
}


def hop_order(
    question: str, pair: tuple[Passage, Passage], config: ChainedConfig
) -> tuple[Passage, Passage] | None:
    """The pair as (first hop, second hop), or None where the declared rule does not decide."""
    rule = _RULES[config.hop_rule]
    left, right = (rule(passage.title, question) for passage in pair)
    if left == right:
        return None
    return pair if left > right else (pair[1], pair[0])


def supporting_pair(
    titles: Sequence[str], passages: Sequence[Passage], where: str
) -> tuple[Passage, Passage] | None:
    """The passages of the two supporting titles, or None where there are not exactly two titles.

    Raises
    ------
    InputError : a supporting title that no passage has.
    """
    wanted = list(dict.fromkeys(titles))
    by_title = {passage.title: passage for passage in passages}
    missing = [title for title in wanted if title not in by_title]
    if missing:
        raise InputError(
            f"{where}, key 'supporting_facts'",
            "a paragraph for each supporting title",
            f"no paragraph {missing[0]!r}",
            "restore the paragraph or remove the record",
        )
    if len(wanted) != 2:
        return None
    return by_title[wanted[0]], by_title[wanted[1]]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
