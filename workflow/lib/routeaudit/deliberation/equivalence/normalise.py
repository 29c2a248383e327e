"""The normal form of an answer: equal forms are equal answers."""

from __future__ import annotations

import re
import string
import unicodedata

from routeaudit.deliberation.problems.base import Problem

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WRAPPERS = re.compile(r"^\\(?:text|mathrm|textbf|mathbf)\{(.*)\}$")
_LETTER = re.compile(r"^\(?([a-z])\)?[.:)]?$")
_MARKS = f"[{re.escape(string.punctuation)}]"
_PUNCTUATION = re.compile(rf"(?!(?<![\w.])-(?=\d)|(?<=\d)\.(?=\d)){_MARKS}")


def normalise(problem: Problem, answer: str) -> str:
    """The normal form of an answer to `problem`.

    A choice becomes the option that the text or its letter names; a short answer loses case, articles and
    punctuation, but no sign or decimal point; mathematics loses its delimiters and blanks.
    """
    if problem.kind == "math":
        return math_form(answer)
    if problem.kind == "choice":
        return option_named(problem.options, answer) or short_form(answer)
    return short_form(answer)


def short_form(text: str) -> str:
    """Lower case, one blank between words, no articles, no punctuation (the SQuAD normal form), except
    that the signs and decimal points of numbers stay: -5 is not 5."""
    plain = _PUNCTUATION.sub(" ", unicodedata.normalize("NFKC", text).lower())
    return " ".join(_ARTICLES.sub(" ", plain).split())


def math_form(text: str) -> str:
    """A LaTeX answer without dollar signs, sizing commands, text wrappers and blanks."""
    bare = text.strip().strip("$").strip()
    bare = re.sub(r"\\(?:left|right|displaystyle|,|!|;)", "", bare).replace("\\dfrac", "\\frac").rstrip(".")
    wrapped = _WRAPPERS.match(bare)
    return re.sub(r"\s+", "", wrapped.group(1) if wrapped else bare)


def option_named(options: tuple[str, ...], answer: str) -> str | None:
    """The one option that an answer is: by its text, by its text's normal form, or by its letter; else
    None."""
    if answer.strip() in options:
        return answer.strip()
    form = short_form(answer)
    alike = [option for option in options if short_form(option) == form]
    if len(alike) == 1:
        return alike[0]
    letter = _LETTER.match(answer.strip().lower())
    index = ord(letter.group(1)) - ord("a") if letter and not alike else len(options)
    return options[index] if index < len(options) else None
