"""Answers from the journal alone: re-analysis without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from routeaudit.config.models import ReplayModel
from routeaudit.errors import InputError
from routeaudit.execution.backends.base import ClosingBackend
from routeaudit.execution.journal import read_journals
from routeaudit.execution.requests import Completion, Identity, Request


class ReplayBackend(ClosingBackend):
    """Finds the answers that some model gave before, as that model: request keys are those of then."""

    def __init__(self, model: ReplayModel, folder: Path) -> None:
        self._folder = folder
        self.identity = _recorded_identity(model, folder)

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Look every request up.

        Raises
        ------
        InputError : the first request that no journal of the folder has
        """
        keys = [request.key(self.identity) for request in requests]
        found = read_journals(self._folder, set(keys)).completions
        for key, request in zip(keys, requests, strict=True):
            if key not in found:
                raise _miss(key, request, self._folder)
            yield request, found[key]


def _recorded_identity(model: ReplayModel, folder: Path) -> Identity:
    recorded = read_journals(folder, ()).identities
    fitting = [
        identity
        for digest, identity in recorded.items()
        if identity.model == model.model and digest.startswith(model.identity)
    ]
    if len(fitting) == 1:
        return fitting[0]
    known = "; ".join(f"{identity.model} {digest[:12]}" for digest, identity in sorted(recorded.items()))
    raise InputError(
        str(folder),
        f"one recorded identity of model {model.model!r} starting with {model.identity!r}",
        f"{len(fitting)}; recorded are: {known or 'none'}",
        "set model.model and model.identity to one of those",
    )


def _miss(key: str, request: Request, folder: Path) -> InputError:
    asked = request.messages[-1].content
    return InputError(
        f"{folder}, request {key}",
        "a finished request in the journal",
        f"none; it asks {asked[:120]!r}",
        "run it once with the model, or replay the study as it was run",
    )
