"""Equivalence: what a rule decides, what it leaves open, and model families."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.deliberation.equivalence.judging import AnswerPair, model_family
from routeaudit.deliberation.equivalence.normalise import normalise
from routeaudit.deliberation.equivalence.rules import matches_reference, rule_verdict
from routeaudit.deliberation.problems.base import Problem

SHORT = Problem("s", "q", "short", "New York", aliases=("NYC",))
CHOICE = Problem("c", "q", "choice", "5.0 mM", options=("5.0 mM", "50 mM", "-5", "5"))
MATH = Problem("m", "q", "math", "\\frac{1}{2}")


@pytest.mark.parametrize(
    ("problem", "one", "other", "verdict"),
    [
        (SHORT, "the New-York", "new york", True),
        (SHORT, "New York", "Boston", None),
        (CHOICE, "A", "5.0 mM", True),
        (CHOICE, "(b)", "50 mM", True),
        (CHOICE, "5.0 mM", "50 mM", False),
        (CHOICE, "5.0 mM", "something else", False),
        (CHOICE, "-5", "5", False),
        (CHOICE, "5.0 MM", "5.0 mM", True),
        (SHORT, "-5", "5", None),
        (SHORT, "1.5", "15", None),
        (SHORT, "word-play.", "word play", True),
        (MATH, "0.5", "$\\dfrac{1}{2}$", True),
        (MATH, "x+1", "1+x", True),
        (MATH, "2", "3", False),
        (MATH, "\\text{Evelyn}", "Evelyn", True),
        (MATH, "p-q", "q", None),
    ],
)
def test_rule_verdicts(problem: Problem, one: str, other: str, verdict: bool | None) -> None:
    assert rule_verdict(problem, one, other) is verdict
    assert rule_verdict(problem, other, one) is verdict


def test_an_alias_is_the_reference() -> None:
    assert matches_reference(SHORT, "nyc") is True
    assert matches_reference(SHORT, "Boston") is None
    assert matches_reference(CHOICE, "C") is False


@given(st.sampled_from([SHORT, CHOICE]), st.text(max_size=30))
def test_a_normal_form_is_its_own_normal_form(problem: Problem, text: str) -> None:
    form = normalise(problem, text)
    assert normalise(problem, form) == form


@given(st.sampled_from([SHORT, CHOICE]), st.text(max_size=12), st.text(max_size=12))
def test_a_pair_does_not_know_who_said_which(problem: Problem, one: str, other: str) -> None:
    assert AnswerPair.of(problem, one, other) == AnswerPair.of(problem, other, one)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/gpt-oss-120b", "gpt-oss"),
        ("google/gemma-4-31B-it", "gemma"),
        ("SmolLM2-135M-Instruct", "smollm"),
        ("Qwen2.5-7B", "qwen"),
        ("claude-sonnet", "claude-sonnet"),
    ],
)
def test_model_family(name: str, family: str) -> None:
    assert model_family(name) == family
