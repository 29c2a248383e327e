"""vLLM's offline engine in this process (GPU nodes)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from routeaudit.config.models import VllmModel
from routeaudit.execution.backends.base import ClosingBackend
from routeaudit.execution.requests import Completion, Identity, Request


class VllmBackend(ClosingBackend):
    """One engine for a whole shard."""

    def __init__(self, model: VllmModel) -> None:
        raise NotImplementedError

    identity: Identity

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Answer the whole shard at once."""
        raise NotImplementedError
