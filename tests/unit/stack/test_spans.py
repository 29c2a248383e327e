"""Names and numbers that an extractive finalizer may choose from."""

from __future__ import annotations

import pytest

from routeaudit.cover.stack.spans import spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The author of Night Ferry is Jon Hale.", ["Night Ferry", "Jon Hale"]),
        ("She was born in Castelby, and died in 1,066.", ["Castelby", "1,066"]),
        ("The Lord of the Rings was filmed in New Zealand", ["Lord of the Rings", "New Zealand"]),
        ("Élodie O'Hara met K. Brandt", ["Élodie O'Hara", "K. Brandt"]),
        (
            "He died on 25 December 1505 in Montreal, Quebec.",
            ["25 December 1505", "Montreal", "Montreal, Quebec", "Quebec"],
        ),
        ("nothing here", []),
        ("A man", []),
    ],
)
def test_spans_are_names_and_numbers_in_order(text: str, expected: list[str]) -> None:
    assert spans([text]) == expected


def test_a_span_that_recurs_is_offered_once() -> None:
    assert spans(["Jon Hale wrote.", "Jon Hale sang."]) == ["Jon Hale"]


def test_what_the_question_names_is_no_answer() -> None:
    assert spans(["The author of Night Ferry is Jon Hale."], "Who wrote night ferry?") == ["Jon Hale"]
