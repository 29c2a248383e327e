"""A rule that obeys length and stop texts, as a model server would."""

from __future__ import annotations

import random

from routeaudit.execution import Request
from routeaudit.execution.backends.rules import first_choice


def obedient(request: Request, noise: random.Random) -> str:
    """The last message's words up to a stop text, as many as there may be."""
    if request.schema is not None:
        return first_choice(request, noise)
    text = request.messages[-1].content
    for stop in request.decoding.stop:
        text = text.split(stop)[0]
    return " ".join(text.split()[: request.decoding.max_tokens])
