"""Two-hop questions with one paragraph per worker: what the three multi-hop benchmarks have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from routeaudit.config.benchmarks import MultihopConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.cover.benchmarks.cards import TopicWords, topic_cards
from routeaudit.cover.benchmarks.dealing import deal, ranked
from routeaudit.errors import InputError

_SENTENCE_END = re.compile(r"""(?:(?<=[.!?])|(?<=[.!?]["')\]]))(?<!\b[A-Z]\.)\s+(?=["'(\[]*[A-Z0-9])""")

GOLD_COMPONENT = "gold"
TOO_FEW_PARAGRAPHS = "too_few_paragraphs"


@dataclass(frozen=True)
class TwoHop:
    """A two-hop question of any of the benchmarks; `gold` holds its first and second supporting passage."""

    original_id: str
    question: str
    answer: str
    aliases: tuple[str, ...]
    passages: tuple[Passage, ...]
    gold: tuple[Passage, Passage]
    source_ids: tuple[str, ...]
    tier: str | None


def sentences(text: str) -> tuple[str, ...]:
    """A text's sentences.

    One ends where `.`, `!` or `?`, but not the point of an initial, precedes a space and a capital or digit.
    """
    return tuple(part.strip() for part in _SENTENCE_END.split(text.strip()) if part.strip())


def check_question(question: str, where: str) -> None:
    """Hold a question against the rule that it says something."""
    if not question.strip():
        raise InputError(
            f"{where}, key 'question'", "a question", "an empty text", "repair or remove the record"
        )


def build_inventory(records: Iterable[TwoHop | str], config: MultihopConfig) -> Inventory:
    """Deal the kept records' passages to workers and count the dropped ones by reason.

    `records` holds, for each record of the file, the question or the reason why it is not one.
    """
    read = list(records)
    kept = [record for record in read if isinstance(record, TwoHop)]
    dropped = Counter(record for record in read if isinstance(record, str))
    topics = (
        TopicWords({p for record in kept for p in record.passages}) if _wants_topics(config, kept) else None
    )
    tasks = tuple(_task(record, config, topics) for record in kept if _enough(record, config))
    if short := len(kept) - len(tasks):
        dropped[TOO_FEW_PARAGRAPHS] += short
    return Inventory(tasks, len(read), dict(sorted(dropped.items())))


def _wants_topics(config: MultihopConfig, kept: Sequence[TwoHop]) -> bool:
    return config.card == "topics" and bool(kept)


def _enough(record: TwoHop, config: MultihopConfig) -> bool:
    return len(_distractors(record)) >= sum(config.slots) - len(config.slots)


def _distractors(record: TwoHop) -> list[Passage]:
    """The other passages; a copy of a supporting one would carry its evidence and is none."""
    supporting = {passage.sentences for passage in record.gold}
    return [passage for passage in record.passages if passage.sentences not in supporting]


def _task(record: TwoHop, config: MultihopConfig, topics: TopicWords | None) -> SourceTask:
    order = ranked(record.question, _distractors(record), config.distractors, config.seed, record.original_id)
    hands = deal(order, [places - 1 for places in config.slots])
    slots = [sorted((gold, *hand), key=_place) for gold, hand in zip(record.gold, hands, strict=True)]
    passages = [passage for slot in slots for passage in slot]
    cards = _cards(passages, record, config, topics)
    slot_of = [number for number, slot in enumerate(slots) for _ in slot]
    return SourceTask(
        original_id=record.original_id,
        question=record.question,
        answer=record.answer,
        aliases=record.aliases,
        source_ids=record.source_ids,
        required_units=tuple(passage.unit_id for passage in record.gold),
        workers=tuple(
            _worker(card, passage, slot, record)
            for card, passage, slot in zip(cards, passages, slot_of, strict=True)
        ),
        tier=record.tier,
    )


def _place(passage: Passage) -> int:
    return int(passage.unit_id.removeprefix("p"))


def _cards(
    passages: Sequence[Passage], record: TwoHop, config: MultihopConfig, topics: TopicWords | None
) -> list[str]:
    if topics is None:
        return [passage.title for passage in passages]
    return topic_cards(passages, (record.answer, *record.aliases), topics, config.topic_words)


def _worker(card: str, passage: Passage, slot: int, record: TwoHop) -> SourceWorker:
    component = GOLD_COMPONENT if passage in record.gold else passage.unit_id
    return SourceWorker(card=card, passages=(passage,), slot=slot, component_id=component)
