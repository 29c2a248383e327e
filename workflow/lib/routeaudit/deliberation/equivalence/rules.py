"""What a rule can decide of two answers, before any judge is asked."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache

from routeaudit.deliberation.equivalence.normalise import normalise
from routeaudit.deliberation.problems.base import Problem

# math-verify reports what it cannot parse as a warning; here that is an ordinary answer: no decision.
logging.getLogger("math_verify").setLevel(logging.CRITICAL)


def rule_verdict(problem: Problem, first: str, second: str) -> bool | None:
    """Whether two answers to a problem are the same, or None where no rule decides.

    Equal normal forms are the same answer. Different options are different answers. Mathematics is compared
    by math-verify: equal, or, where both sides are plain numbers, different. Different short texts stay open.
    """
    a, b = normalise(problem, first), normalise(problem, second)
    if a == b:
        return True
    if problem.kind == "choice":
        return False
    return _math_verdict(a, b) if problem.kind == "math" else None


def matches_reference(problem: Problem, answer: str) -> bool | None:
    """Whether an answer equals the reference or one of its aliases; None where no rule decides."""
    return any_match(
        rule_verdict(problem, accepted, answer) for accepted in (problem.answer, *problem.aliases)
    )


def any_match(verdicts: Iterable[bool | None]) -> bool | None:
    """True if one is True, else None if one is open, else False."""
    found = list(verdicts)
    if True in found:
        return True
    return None if None in found else False


@lru_cache(maxsize=65536)
def _math_verdict(a: str, b: str) -> bool | None:
    from math_verify import verify

    first, second = _parsed(a), _parsed(b)
    if not first or not second:
        return None
    # verify is not symmetric: it treats its first argument as the reference.
    if verify(list(first), list(second)) or verify(list(second), list(first)):
        return True
    return False if _is_number(first) and _is_number(second) else None


@lru_cache(maxsize=65536)
def _parsed(text: str) -> tuple[object, ...]:
    from math_verify import parse

    return tuple(parse(f"${text}$"))


def _is_number(parsed: tuple[object, ...]) -> bool:
    return bool(getattr(parsed[0], "is_number", False))
