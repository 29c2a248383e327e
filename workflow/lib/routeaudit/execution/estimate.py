"""What a run will cost, before it starts: requests, tokens, hours of a device."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from routeaudit.errors import InputError
from routeaudit.execution.requests import Request

# Few texts have more tokens than a third of their bytes; a turn adds a handful of special tokens.
_BYTES_PER_TOKEN = 3
_TOKENS_PER_TURN = 8


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """Requests of a set of cells.

    Parameters
    ----------
    cells : distinct (task, team) pairs
    worker_requests : distinct (task, worker) pairs: a message does not depend on the team
    finalizer_requests : one per cell
    naive : requests if every cell asked its workers and its finalizer anew
    """

    cells: int
    worker_requests: int
    finalizer_requests: int
    naive: int

    @property
    def distinct(self) -> int:
        """Requests that are sent, identical texts aside."""
        return self.worker_requests + self.finalizer_requests

    @property
    def saving(self) -> float:
        """Naive requests per request that is sent."""
        return self.naive / self.distinct if self.distinct else 1.0


def count_requests(cells: Iterable[tuple[str, Iterable[str]]], replicates: int = 1) -> RequestCounts:
    """Count the requests of `cells`, each a task and the workers of a team, over `replicates` repetitions."""
    teams = {(task, frozenset(workers)) for task, workers in cells}
    messages = {(task, worker) for task, workers in teams for worker in workers}
    naive = sum(len(workers) + 1 for _, workers in teams)
    return RequestCounts(len(teams), replicates * len(messages), replicates * len(teams), replicates * naive)


@dataclass(frozen=True, slots=True)
class TokenLoad:
    """Tokens to be read, and at most to be generated."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.prompt + self.completion


def token_load(requests: Iterable[Request]) -> TokenLoad:
    """A rough upper estimate: one token per 3 bytes read, and every answer as long as it may be."""
    prompt = completion = 0
    for request in requests:
        read = sum(len(message.content.encode()) for message in request.messages)
        prompt += read // _BYTES_PER_TOKEN + _TOKENS_PER_TURN * len(request.messages)
        completion += request.decoding.max_tokens
    return TokenLoad(prompt, completion)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is left to do of a set of distinct requests.

    Parameters
    ----------
    distinct : requests of the set
    finished : those found in the journal
    load : tokens of the others
    seconds : wall time at the given speed, all shards running
    device_hours : hours times devices
    """

    distinct: int
    finished: int
    load: TokenLoad
    seconds: float
    device_hours: float


def forecast(
    wanted: Mapping[str, Request],
    finished: Collection[str],
    tokens_per_s: float,
    devices_per_shard: int = 1,
    shards: int = 1,
) -> Forecast:
    """Forecast the distinct requests `wanted` (by key).

    Parameters
    ----------
    tokens_per_s : prompt and generated tokens together, per second and engine, as a benchmark measured them

    Raises
    ------
    InputError : a speed that is not above 0
    """
    if not tokens_per_s > 0:
        raise InputError(
            "tokens per second", "a number above 0", str(tokens_per_s), "measure it with a benchmark"
        )
    left = [request for key, request in wanted.items() if key not in finished]
    load = token_load(left)
    engine_seconds = load.total / tokens_per_s
    return Forecast(
        len(wanted),
        len(wanted) - len(left),
        load,
        engine_seconds / shards,
        engine_seconds * devices_per_shard / 3600,
    )
