"""The normal form of an answer: equal forms are equal answers."""

from __future__ import annotations

import re
import string
import unicodedata

from routeaudit.deliberation.problems.base import Problem

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WRAPPERS = re.compile(r"^\\(?:text|mathrm|textbf|mathbf)\{(.*)\}$")
_LETTER = re.compile(r"^\(?([a-z])\)?[.:)]?$")
_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation, " "))


def normalise(problem: Problem, answer: str) -> str:
    """The normal form of an answer to `problem`.

    A choice becomes the option that the text or its letter names; a short answer loses case, articles and
    punctuation; mathematics loses its delimiters and blanks.
    """
    if problem.kind == "math":
        return math_form(answer)
    if problem.kind == "choice":
        return option_named(problem.options, answer) or short_form(answer)
    return short_form(answer)


def short_form(text: str) -> str:
    """Lower case, one blank between words, no articles, no punctuation (the SQuAD normal form)."""
    plain = unicodedata.normalize("NFKC", text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def math_form(text: str) -> str:
    """A LaTeX answer without dollar signs, sizing commands, text wrappers and blanks."""
    bare = text.strip().strip("$").strip()
    bare = re.sub(r"\\(?:left|right|displaystyle|,|!|;)", "", bare).replace("\\dfrac", "\\frac").rstrip(".")
    wrapped = _WRAPPERS.match(bare)
    return re.sub(r"\s+", "", wrapped.group(1) if wrapped else bare)


def option_named(options: tuple[str, ...], answer: str) -> str | None:
    """The normal form of the one option that an answer is, by its text or by its letter; else None."""
    form = short_form(answer)
    forms = [short_form(option) for option in options]
    if form in forms:
        return form
    letter = _LETTER.match(answer.strip().lower())
    index = ord(letter.group(1)) - ord("a") if letter else len(options)
    return forms[index] if index < len(options) else None
