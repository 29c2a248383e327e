"""Answer comparison: golden values, an independent oracle, identities."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.cover.grading.answers import exact_match, f1, first_line, normalised

WORDS = st.lists(st.sampled_from(["the", "a", "an", "red", "Red", "fox,", "7", "York's"]), max_size=6).map(
    " ".join
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Beatles!", "beatles"),
        ("an apple, a day", "apple day"),
        ("Another theme", "another theme"),
        ("U.S.A.", "usa"),
        ("1,066", "1066"),
        ("the", ""),
        ("Zoë’s", "zoë’s"),
    ],
)
def test_normalisation_follows_squad(text: str, expected: str) -> None:
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("the Eiffel tower", ["Eiffel Tower"], 1.0),
        ("tower", ["Eiffel Tower", "Tower"], 1.0),
        ("Eiffel", ["Eiffel Tower"], 0.0),
        ("", ["Eiffel Tower"], 0.0),
        ("x", [], 0.0),
    ],
)
def test_exact_match_accepts_any_reference(answer: str, references: list[str], expected: float) -> None:
    assert exact_match(answer, references) == expected


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("Eiffel", ["Eiffel Tower"], 2 / 3),
        ("the tower of Eiffel", ["Eiffel Tower"], 4 / 5),
        ("red red fox", ["red fox fox"], 2 / 3),
        ("no", ["no sir"], 0.0),
        ("yes", ["Yes."], 1.0),
        ("wrong", ["right", "wrong one"], 2 / 3),
        ("", ["a"], 1.0),
        ("", ["b"], 0.0),
    ],
)
def test_f1_counts_common_tokens_of_the_best_reference(
    answer: str, references: list[str], expected: float
) -> None:
    assert f1(answer, references) == pytest.approx(expected)


def slow_f1(answer: str, reference: str) -> float:
    """Precision and recall written out, after the published description."""

    def tokens(text: str) -> list[str]:
        kept = "".join(c for c in text.lower() if c not in string.punctuation)
        return [token for token in re.split(r"\s+", kept) if token not in {"", "a", "an", "the"}]

    said, right = tokens(answer), tokens(reference)
    if not said or not right:
        return float(said == right)
    left = list(right)
    same = 0
    for token in said:
        if token in left:
            left.remove(token)
            same += 1
    precision, recall = same / len(said), same / len(right)
    return 2 * precision * recall / (precision + recall) if same else 0.0


@given(WORDS, WORDS)
def test_f1_agrees_with_precision_and_recall_written_out(answer: str, reference: str) -> None:
    assert f1(answer, [reference]) == pytest.approx(slow_f1(answer, reference))


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_an_exact_answer_has_f1_one_and_no_f1_leaves_the_unit_interval(
    answer: str, references: list[str]
) -> None:
    assert 0.0 <= exact_match(answer, references) <= f1(answer, references) <= 1.0


def test_only_the_first_line_that_says_something_is_the_answer() -> None:
    assert first_line("\n  Paris \nBecause it is.") == "Paris"
    assert first_line(" \n") == ""
