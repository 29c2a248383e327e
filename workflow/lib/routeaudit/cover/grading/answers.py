"""Exact match and F1 between answers, after SQuAD's normalisation.

Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP 2016, section 6.1.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
# Answers that F1 grants no partial credit, as HotpotQA's official evaluation has it.
_CLOSED = frozenset({"yes", "no", "noanswer"})


def normalised(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, references: Iterable[str]) -> float:
    """1.0 where the answer equals one of the references after normalisation, else 0.0."""
    return float(any(normalised(answer) == normalised(reference) for reference in references))


def f1(answer: str, references: Iterable[str]) -> float:
    """The largest token F1 with one of the references."""
    return max((_pair_f1(normalised(answer), normalised(reference)) for reference in references), default=0.0)


def _pair_f1(answer: str, reference: str) -> float:
    if answer in _CLOSED or reference in _CLOSED:
        return float(answer == reference)
    answer_tokens, reference_tokens = answer.split(), reference.split()
    if not answer_tokens or not reference_tokens:
        return float(answer_tokens == reference_tokens)
    common = sum((Counter(answer_tokens) & Counter(reference_tokens)).values())
    return 2 * common / (len(answer_tokens) + len(reference_tokens))


def first_line(text: str) -> str:
    """The first line that is not blank: a model may run on after its answer."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
