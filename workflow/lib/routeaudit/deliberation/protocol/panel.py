"""Asking models: a panel of named backends over one journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from routeaudit.config.models import ModelConfig
from routeaudit.errors import InputError
from routeaudit.execution import Completion, Identity, Journal, Request, execute, progress_for
from routeaudit.execution.backends import Backend, open_backend
from routeaudit.execution.backends.base import ClosingBackend
from routeaudit.execution.progress import Progress, Silent


@dataclass(frozen=True)
class Ask:
    """A request and the member of the panel that answers it."""

    member: str
    request: Request


@dataclass(frozen=True)
class Reply:
    """A completion and the key under which the journal holds it."""

    completion: Completion
    key: str


class Panel:
    """Members by name; members that share a model share its backend."""

    def __init__(self, members: Mapping[str, Backend], journal: Journal, quiet: bool = False) -> None:
        self._members = members
        self._journal = journal
        self._quiet = quiet

    def identity(self, member: str) -> Identity:
        """Who answers for a member."""
        return self._members[member].identity

    def ask(self, stage: str, asks: Sequence[Ask]) -> list[Reply]:
        """Answer all asks of one stage, one `execute` per backend, in the order of `asks`.

        Raises
        ------
        InputError : the infrastructure failed a request for good; what is finished stays in the journal
        """
        answered: dict[str, Completion] = {}
        for backend in dict.fromkeys(self._members[ask.member] for ask in asks):
            wanted = [ask.request for ask in asks if self._members[ask.member] is backend]
            answered |= execute(wanted, backend, self._journal, self._progress(stage)).completions
        keys = [ask.request.key(self._members[ask.member].identity) for ask in asks]
        return [Reply(_ended(answered[key], stage), key) for key in keys]

    def _progress(self, stage: str) -> Progress:
        return Silent() if self._quiet else progress_for(stage)


def _ended(completion: Completion, stage: str) -> Completion:
    """A deliberation cannot go on without an answer, whatever the answer is worth."""
    if completion.status == "missing":
        raise InputError(
            f"stage {stage}",
            "an answer from the backend",
            completion.detail or "none",
            "run again: finished requests are reused",
        )
    return completion


@contextmanager
def open_panel(
    models: Mapping[str, ModelConfig], folder: Path, writer: str, quiet: bool = False
) -> Iterator[Panel]:
    """A panel whose journal lies in `folder`; engines start with their first request."""
    with ExitStack() as stack:
        opened: dict[str, Backend] = {}
        for model in models.values():
            text = model.model_dump_json()
            if text not in opened:
                opened[text] = stack.enter_context(open_backend(model, folder))
        members = {name: opened[model.model_dump_json()] for name, model in models.items()}
        yield Panel(members, stack.enter_context(Journal.open(folder, writer)), quiet)


class JournalOnly(ClosingBackend):
    """Stands for a model in a replay: what the journal holds was found before; what it lacks is an error."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Refuse.

        Raises
        ------
        InputError : always, naming the first request
        """
        asked = requests[0].messages[-1].content
        raise InputError(
            f"journal, request {requests[0].key(self.identity)}",
            "a finished request in the journal",
            f"none; it asks {asked[:120]!r}",
            "run the deliberation first",
        )


@contextmanager
def replay_panel(models: Mapping[str, ModelConfig], folder: Path, writer: str) -> Iterator[Panel]:
    """A panel that answers from the journal alone; no engine starts."""
    members: dict[str, Backend] = {}
    for name, model in models.items():
        with open_backend(model, folder) as backend:
            members[name] = JournalOnly(backend.identity)
    with Journal.open(folder, writer) as journal:
        yield Panel(members, journal, quiet=True)
