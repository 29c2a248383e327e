"""MuSiQue: two-hop questions, whose file says which paragraph answers which hop."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from routeaudit.config.benchmarks import MuSiQueConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage
from routeaudit.cover.benchmarks.multihop import TwoHop, build_inventory, check_question, sentences
from routeaudit.cover.benchmarks.sources import check_unique, locate, read_records
from routeaudit.errors import InputError

UNANSWERABLE = "unanswerable"


class Paragraph(BaseModel):
    """MuSiQue paragraph"""

    idx: int
    title: str
    paragraph_text: str


class Hop(BaseModel):
    """MuSiQue hop"""

    id: int | str
    paragraph_support_idx: int | None


class MusiqueRecord(BaseModel):
    """MuSiQue"""

    id: str = Field(min_length=1)
    question: str
    answer: str
    answer_aliases: list[str] = []
    answerable: bool = True
    paragraphs: list[Paragraph]
    question_decomposition: list[Hop]


@dataclass(frozen=True)
class MuSiQue:
    """Tasks from MuSiQue's file; source ids are the ids of the two single-hop questions.

    Records are dropped, in this order, as `unanswerable`, `hops_<other>` and `too_few_paragraphs`.
    """

    config: MuSiQueConfig

    def load(self) -> Inventory:
        """Read the file. Raises InputError for a record that is broken rather than unsuitable."""
        records = read_records(locate(self.config.source), MusiqueRecord)
        check_unique([(where, record.id) for where, record in records])
        return build_inventory([two_hop_or_reason(record, where) for where, record in records], self.config)


def two_hop_or_reason(record: MusiqueRecord, where: str) -> TwoHop | str:
    """The record as a two-hop question, or the reason why it is not used."""
    check_question(record.question, where)
    if not record.answerable:
        return UNANSWERABLE
    hops = record.question_decomposition
    if len(hops) != 2:
        return f"hops_{len(hops)}"
    passages = tuple(Passage(f"p{p.idx}", p.title, sentences(p.paragraph_text)) for p in record.paragraphs)
    return TwoHop(
        original_id=record.id,
        question=record.question,
        answer=record.answer,
        aliases=tuple(record.answer_aliases),
        passages=passages,
        gold=(_supporting(hops[0], passages, where), _supporting(hops[1], passages, where)),
        source_ids=tuple(str(hop.id) for hop in hops),
        tier=record.id.partition("__")[0],
    )


def _supporting(hop: Hop, passages: tuple[Passage, ...], where: str) -> Passage:
    for passage in passages:
        if passage.unit_id == f"p{hop.paragraph_support_idx}" and passage.sentences:
            return passage
    raise InputError(
        f"{where}, key 'question_decomposition'",
        f"a paragraph with idx {hop.paragraph_support_idx} for hop {hop.id}",
        "no such paragraph, or an empty one",
        "restore the paragraph or remove the record",
    )
