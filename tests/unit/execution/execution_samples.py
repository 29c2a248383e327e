"""Requests and identities that the tests of the execution layer share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from routeaudit.execution import Completion, Decoding, Identity, Message, Request, Usage
from routeaudit.execution.backends.base import ClosingBackend

IDENTITY = Identity(
    "scripted", "model", "r1", "w" * 64, "engine 1.0", "fp32", 2, (("context_tokens", "4096"),)
)


def request(text: str, **changes: object) -> Request:
    """A request with a two-message prefix that ends with `text`."""
    messages = (Message("user", "example"), Message("assistant", "answer"), Message("user", text))
    return Request(**{"messages": messages, "decoding": Decoding(8), "n_prefix": 2, **changes})


def completion(text: str = "yes", **changes: object) -> Completion:
    """A finished completion."""
    return Completion(**{"text": text, "usage": Usage(5, 1), "seconds": 0.25, **changes})


class FakeBackend(ClosingBackend):
    """Answers by a function of the request; keeps what it was sent."""

    def __init__(self, answer: Callable[[Request], Completion]) -> None:
        self.identity = IDENTITY
        self.answer = answer
        self.sent: list[Request] = []

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        for one in requests:
            self.sent.append(one)
            yield one, self.answer(one)
