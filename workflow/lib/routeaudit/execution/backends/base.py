"""What every backend promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from routeaudit.errors import InputError
from routeaudit.execution.requests import Completion, Identity, Request


class InfrastructureError(Exception):
    """The machinery around the model failed (server gone, engine died): worth another attempt."""


class BudgetSpent(InputError):
    """The declared token budget is used up; what was finished is kept and a rerun goes on from there."""


class Backend(Protocol):
    """Answers requests. Made cheaply; the engine starts with the first call of `generate`.

    `generate` yields each request with its completion as it ends, in any order. One that the
    infrastructure failed is yielded with status ``missing``; where all is lost `InfrastructureError`
    is raised and the requests not yet yielded count as unanswered.
    """

    @property
    def identity(self) -> Identity:
        """What determines the answers, besides the request; known without starting the engine."""
        ...

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Answer `requests`, handed over in an order in which neighbours share prefixes."""
        ...

    def close(self) -> None:
        """Stop the engine and free what it holds; safe to call twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ClosingBackend:
    """The context manager that all backends share."""

    def close(self) -> None:
        """Nothing to free unless a backend says otherwise."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
