"""Two-hop questions with one paragraph per worker: what the three multi-hop benchmarks have in common."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from routeaudit.config.benchmarks import MultihopConfig
from routeaudit.cover.benchmarks.balance import Pool, Sizes, balanced_hand, card_sizes
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.cover.benchmarks.cards import TopicWords, topic_cards
from routeaudit.cover.benchmarks.dealing import deal, ranked
from routeaudit.errors import InputError

_SENTENCE_END = re.compile(r"""(?:(?<=[.!?])|(?<=[.!?]["')\]]))(?<!\b[A-Z]\.)\s+(?=["'(\[]*[A-Z0-9])""")

Cards = Mapping[Passage, str]

GOLD_COMPONENT = "gold"
TOO_FEW_PARAGRAPHS = "too_few_paragraphs"
# Each place further down the BM25 order is half as likely, before sizes are balanced.
_BM25_PREFERENCE = math.log(2)


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
    two_hop = [record for record in read if isinstance(record, TwoHop)]
    kept = [record for record in two_hop if len(_others(record)) >= sum(_places(config))]
    dropped = Counter(record for record in read if isinstance(record, str))
    if len(kept) < len(two_hop):
        dropped[TOO_FEW_PARAGRAPHS] = len(two_hop) - len(kept)
    cards = _cards(kept, config)
    hands = _hands(kept, cards, config)
    tasks = tuple(_task(*parts) for parts in zip(kept, hands, cards, strict=True))
    return Inventory(tasks, len(read), dict(sorted(dropped.items())))


def _places(config: MultihopConfig) -> list[int]:
    """Distractors in each slot."""
    return [workers - 1 for workers in config.slots]


def _others(record: TwoHop) -> list[Passage]:
    """The other passages with text; a copy of a supporting one would carry its evidence and is none."""
    unfit = {(), *(passage.sentences for passage in record.gold)}
    return [passage for passage in record.passages if passage.sentences not in unfit]


def _cards(records: Sequence[TwoHop], config: MultihopConfig) -> list[dict[Passage, str]]:
    """For every record the cards of the passages that can be dealt, the gold ones among them."""
    if config.card == "title" or not records:
        return [{p: p.title for p in (*record.gold, *_others(record))} for record in records]
    topics = TopicWords([passage for record in records for passage in record.passages])
    cards = []
    for record in records:
        others = _others(record)
        answers = (record.answer, *record.aliases)
        ranked_words = {p: topics.ranked(p, answers) for p in (*record.gold, *others)}
        needed = sum(_places(config))
        cards.append(topic_cards(record.gold, others, needed, ranked_words, config.topic_words))
    return cards


def _hands(
    records: Sequence[TwoHop], cards: Sequence[Cards], config: MultihopConfig
) -> list[list[list[Passage]]]:
    """The distractors of every record, by slot."""
    orders = [_order(record, card_of, config) for record, card_of in zip(records, cards, strict=True)]
    if not (config.balance_sizes and records):
        return [deal(order, _places(config)) for order in orders]
    texts = list(dict.fromkeys(text for card_of in cards for text in card_of.values()))
    size = dict(zip(texts, card_sizes(texts), strict=True))
    return [
        _balanced_hands(record, order, {p: size[text] for p, text in card_of.items()}, config)
        for record, order, card_of in zip(records, orders, cards, strict=True)
    ]


def _balanced_hands(
    record: TwoHop, order: list[Passage], size: Mapping[Passage, Sizes], config: MultihopConfig
) -> list[list[Passage]]:
    hands: list[list[Passage]] = []
    preference = _BM25_PREFERENCE if config.distractors == "bm25" else 0.0
    for slot, places in enumerate(_places(config)):
        left = tuple((p, size[p]) for p in order if not any(p in hand for hand in hands))
        pool = Pool(record.original_id, size[record.gold[slot]], left)
        hands.append(balanced_hand(pool, places, config.seed, slot, preference))
    return hands


def _order(record: TwoHop, cards: Cards, config: MultihopConfig) -> list[Passage]:
    others = [passage for passage in _others(record) if passage in cards]
    return ranked(record.question, others, config.distractors, config.seed, record.original_id)


def _task(record: TwoHop, hands: Sequence[Sequence[Passage]], cards: Cards) -> SourceTask:
    slots = [sorted((gold, *hand), key=_place) for gold, hand in zip(record.gold, hands, strict=True)]
    return SourceTask(
        original_id=record.original_id,
        question=record.question,
        answer=record.answer,
        aliases=record.aliases,
        source_ids=record.source_ids,
        required_units=tuple(passage.unit_id for passage in record.gold),
        workers=tuple(
            _worker(cards[passage], passage, number, record)
            for number, slot in enumerate(slots)
            for passage in slot
        ),
        tier=record.tier,
    )


def _place(passage: Passage) -> int:
    return int(passage.unit_id.removeprefix("p"))


def _worker(card: str, passage: Passage, slot: int, record: TwoHop) -> SourceWorker:
    component = GOLD_COMPONENT if passage in record.gold else passage.unit_id
    return SourceWorker(card=card, passages=(passage,), slot=slot, component_id=component)
