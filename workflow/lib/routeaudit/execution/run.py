"""Executing a set of requests: each distinct one once, finished ones never again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from routeaudit.execution.backends.base import Backend, InfrastructureError
from routeaudit.execution.journal import Journal
from routeaudit.execution.progress import Progress, Silent
from routeaudit.execution.requests import Completion, Request
from routeaudit.execution.scheduling import distinct
from routeaudit.execution.validity import checked

_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Counts:
    """How many requests there were. distinct = reused + sent; distinct = ok + invalid + missing.

    Parameters
    ----------
    naive : requests asked for, repetitions included
    distinct : different requests among them
    reused : found finished in the journal
    sent : handed to the backend, each counted once
    attempts : times a request was handed to the backend, retries included
    ok, invalid, missing : how the distinct ones ended
    """

    naive: int
    distinct: int
    reused: int
    sent: int
    attempts: int
    ok: int
    invalid: int
    missing: int


@dataclass(frozen=True, slots=True)
class Execution:
    """The answers by request key, and the counts."""

    completions: Mapping[str, Completion]
    counts: Counts


def execute(
    requests: Iterable[Request],
    backend: Backend,
    journal: Journal,
    progress: Progress | None = None,
    retries: int = _RETRIES,
) -> Execution:
    """Answer `requests`, reusing what any journal of the folder holds.

    An answer is journalled as it ends. What the infrastructure failed is tried up to `retries` times
    more and is then ``missing``; it is not journalled, so the next run tries again. What the model
    failed is ``invalid_run`` and final.

    Raises
    ------
    InputError : the journal cannot be written, or a token budget is spent; finished requests are kept
    """
    asked = list(requests)
    wanted = distinct(asked, backend.identity)
    found = journal.find(wanted.keys())
    left = {key: request for key, request in wanted.items() if key not in found}
    sender = _Sender(backend, journal, progress or Silent())
    answered = sender.send(left, len(found), retries) if left else {}
    completions = {key: found[key] if key in found else answered[key] for key in wanted}
    return Execution(completions, _count(len(asked), completions, len(left), sender.attempts))


class _Sender:
    def __init__(self, backend: Backend, journal: Journal, progress: Progress) -> None:
        self._backend = backend
        self._journal = journal
        self._progress = progress
        self.attempts = 0

    def send(self, left: Mapping[str, Request], reused: int, retries: int) -> Mapping[str, Completion]:
        answered: dict[str, Completion] = {}
        self._progress.start(len(left), reused)
        try:
            for _ in range(1 + retries):
                rest = {key: request for key, request in left.items() if not _ended(answered, key)}
                if not rest:
                    break
                self._attempt(rest, answered)
        finally:
            self._journal.sync()
            self._progress.stop()
        unanswered = Completion.missing("the backend gave no answer")
        return {key: answered.get(key, unanswered) for key in left}

    def _attempt(self, rest: Mapping[str, Request], answered: dict[str, Completion]) -> None:
        self.attempts += len(rest)
        identity = self._backend.identity
        try:
            for request, completion in self._backend.generate(list(rest.values())):
                key = request.key(identity)
                answered[key] = checked(request, completion)
                if answered[key].status != "missing":
                    self._journal.append(identity, key, answered[key])
                    self._progress.advance()
        except InfrastructureError as error:
            for key in rest:
                answered.setdefault(key, Completion.missing(str(error)))


def _ended(answered: Mapping[str, Completion], key: str) -> bool:
    return key in answered and answered[key].status != "missing"


def _count(naive: int, completions: Mapping[str, Completion], sent: int, attempts: int) -> Counts:
    ended = [completion.status for completion in completions.values()]
    ok, invalid, missing = (ended.count(status) for status in ("ok", "invalid_run", "missing"))
    if len(completions) != ok + invalid + missing:
        raise AssertionError(f"{len(completions)} planned requests, {ok} + {invalid} + {missing} ended")
    return Counts(naive, len(completions), len(completions) - sent, sent, attempts, ok, invalid, missing)
