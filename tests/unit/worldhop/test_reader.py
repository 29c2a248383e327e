"""The reader of the invented world answers right exactly when its notes hold the whole chain."""

from __future__ import annotations

import json
import random

import pytest

from routeaudit.cover.benchmarks.worldhop.reader import read
from routeaudit.execution import Decoding, Message, Request, schema_text

QUESTION = "Who is the founder of the museum that is the employer of the sailor Dortor Tamward?"
FIRST = "The employer of Dortor Tamward is Venner Spindle."
SECOND = "The founder of Venner Spindle is Nelris Tamward."
OTHER = "The founder of Venner Raven is Barmer Tamward."


def _asked(text: str, schema: dict[str, object] | None = None) -> Request:
    return Request(
        (Message("user", text),), Decoding(12), schema=None if schema is None else schema_text(schema)
    )


@pytest.mark.parametrize(
    ("notes", "answer"),
    [
        ((FIRST, SECOND), "Nelris Tamward"),
        ((SECOND, FIRST), "Nelris Tamward"),
        ((FIRST, OTHER), "unknown"),
        ((SECOND, OTHER), "unknown"),
        ((FIRST,), "unknown"),
    ],
)
def test_the_chain_is_followed_when_it_is_complete(notes: tuple[str, ...], answer: str) -> None:
    text = "\n".join([*(f"Note: {note}" for note in notes), f"Question: {QUESTION}"])
    assert read(_asked(text), random.Random(0)) == answer


def test_a_worker_quotes_the_sentence_that_the_question_needs() -> None:
    sentences = ["Venner Spindle is a museum.", "The seat of Venner Spindle is Dordenport.", SECOND]
    schema = {"type": "object", "properties": {"quote": {"enum": sentences}}}
    asked = _asked(f"Passage: {' '.join(sentences)}\nQuestion: {QUESTION}", schema)
    assert json.loads(read(asked, random.Random(0))) == {"quote": SECOND}
