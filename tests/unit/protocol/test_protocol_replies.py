"""Reading replies: confidence from tokens, spoken answers, boxes; nothing is repaired."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.config.deliberation import PollConfig, SpeakConfig
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.confidence import answer_probability, value_span
from routeaudit.deliberation.protocol.replies import last_box, leaks, read_poll, spoken_answer
from routeaudit.execution import Completion
from routeaudit.execution.requests import TokenLogprob

CHOICE = Problem("c", "Which?", "choice", "Ada Fenn", options=("Ada Fenn", "Ivo Hale"))
SHORT = Problem("s", "Who?", "short", "Ada Fenn")


def tokens(*parts: tuple[str, float]) -> tuple[TokenLogprob, ...]:
    return tuple(TokenLogprob(text, math.log(p)) for text, p in parts)


def test_answer_probability_is_the_product_over_the_answers_tokens() -> None:
    spelled = tokens(
        ('{"', 0.9), ("candidate_answer", 0.8), ('":"', 0.7), ("Ada", 0.5), (" Fenn", 0.5), ('"}', 0.9)
    )
    assert answer_probability('{"candidate_answer":"Ada Fenn"}', spelled) == 25.0


def test_a_token_that_straddles_the_quote_counts() -> None:
    spelled = tokens(('{"candidate_answer":', 0.9), ('"Ada', 0.4), (' Fenn"}', 0.5))
    assert answer_probability('{"candidate_answer":"Ada Fenn"}', spelled) == 20.0


def test_no_probability_without_tokens_value_or_spelling() -> None:
    text = '{"candidate_answer":"Ada"}'
    assert answer_probability(text, None) is None
    assert answer_probability('{"candidate_answer":7}', tokens((text, 0.5))) is None
    assert answer_probability(text, tokens(("other words", 0.5))) is None


@given(st.text(max_size=20), st.integers(min_value=1, max_value=5), st.floats(min_value=0.01, max_value=1.0))
def test_probability_does_not_depend_on_how_the_answer_is_cut_into_tokens(
    answer: str, step: int, p: float
) -> None:
    import json

    text = json.dumps({"candidate_answer": answer})
    start, end = value_span(text, "candidate_answer") or (0, 0)
    value = text[start:end]
    cuts = [value[i : i + step] for i in range(0, len(value), step)]
    share = math.log(p) / max(len(cuts), 1)
    spelled = (
        TokenLogprob(text[:start], -1.0),
        *(TokenLogprob(c, share) for c in cuts),
        TokenLogprob(text[end:], -2.0),
    )
    expected = 100.0 * p if cuts else 100.0
    assert answer_probability(text, spelled) == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize(
    ("speech", "answer"),
    [
        ("I think \\boxed{1} but no, \\boxed{\\frac{1}{2}}.", "\\frac{1}{2}"),
        ("Answer: Rome. No.\nAnswer: **Ada Fenn**", "Ada Fenn"),
        ("Nothing to say.", None),
        ("Answer:", None),
        ("\\boxed{unclosed", None),
    ],
)
def test_spoken_answer_is_the_last_box_else_the_last_marked_line(speech: str, answer: str | None) -> None:
    assert spoken_answer(speech, SHORT, SpeakConfig()) == answer


@pytest.mark.parametrize(
    ("speech", "answer"),
    [
        ("It is Ada Fenn, surely.", "Ada Fenn"),
        ("Ada Fenn or Ivo Hale", None),
        ("(B)", "(B)"),
        ("It is C", None),
    ],
)
def test_a_choice_may_be_named_without_a_marker_if_it_is_the_only_one(
    speech: str, answer: str | None
) -> None:
    assert spoken_answer(speech, CHOICE, SpeakConfig()) == answer


def test_last_box_balances_braces() -> None:
    assert last_box("\\boxed{a{b}c}") == "a{b}c"


@pytest.mark.parametrize(
    "text", ["[1]", '{"score": "high", "candidate_answer": "x"}', '{"score": true}', "", "{"]
)
def test_a_poll_that_is_off_its_form_is_invalid(text: str) -> None:
    read = read_poll(Completion(text), PollConfig())
    assert not read.parse_ok
    assert (read.score, read.answer) == (None, None)


def test_a_truncated_poll_is_invalid_and_says_so() -> None:
    read = read_poll(Completion('{"sc', "length", "invalid_run", detail="not valid JSON"), PollConfig())
    assert read.fault == "not valid JSON"


def test_a_score_outside_the_scale_is_kept_as_stated() -> None:
    read = read_poll(Completion('{"score": -100100, "candidate_answer": "x"}'), PollConfig())
    assert (read.parse_ok, read.score) == (True, -100100.0)


def test_a_hint_leaks_only_whole_answers() -> None:
    assert leaks("Was it ada-fenn?", SHORT)
    assert not leaks("Was it Ada Fennimore?", SHORT)
