"""The confidence of a poll: stated, or the probability that the model gave to its answer's tokens."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

from routeaudit.execution.requests import TokenLogprob

SCALE = 100.0
_DECIMALS = 2


def answer_probability(
    text: str, tokens: Sequence[TokenLogprob] | None, field: str = "candidate_answer"
) -> float | None:
    """100 times the product of the probabilities of the tokens that spell a field's string value.

    Tokens that only partly belong to the value count. None where the reply has no such value, where the
    backend gave no probabilities, or where its tokens do not spell the reply.
    """
    span = value_span(text, field)
    if span is None or not tokens:
        return None
    start, end = span
    total, position = 0.0, 0
    for token in tokens:
        before, position = position, position + len(token.token)
        if before < end and position > start:
            total += token.logprob
    if "".join(token.token for token in tokens)[: len(text)] != text:
        return None
    return round(SCALE * math.exp(min(total, 0.0)), _DECIMALS)


def value_span(text: str, field: str) -> tuple[int, int] | None:
    """Where the string value of a top-level field stands in a JSON text, without its quotes."""
    for match in re.finditer(rf'"{re.escape(field)}"\s*:\s*"', text):
        try:
            _, end = json.JSONDecoder().raw_decode(text, match.end() - 1)
        except json.JSONDecodeError:
            return None
        return match.end(), end - 1
    return None
