"""Which requests are sent, in which order, by which shard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

from routeaudit.errors import InputError
from routeaudit.execution.requests import Identity, Request


def distinct(requests: Iterable[Request], identity: Identity) -> Mapping[str, Request]:
    """The distinct requests by key, in an order in which neighbours share as much prefix as possible."""
    by_key = {request.key(identity): request for request in requests}
    return dict(sorted(by_key.items(), key=lambda item: (_words(item[1]), item[0])))


def shard_of(ordered: Mapping[str, Request], shard: int, n_shards: int) -> Mapping[str, Request]:
    """Part `shard` (counted from 0) of `n_shards` contiguous parts of about equal work.

    The parts depend on the requests alone, not on what is finished, so all shards agree on them; since
    the journal goes by request, another `n_shards` reuses everything.

    Raises
    ------
    InputError : `shard` outside [0, `n_shards`)
    """
    if not 0 <= shard < n_shards:
        raise InputError("shard", f"a number from 0 to {n_shards - 1}", str(shard), "count shards from 0")
    work = list(accumulate((_work(request) for request in ordered.values()), initial=0))
    share = max(work[-1], 1) / n_shards
    keys = list(ordered)
    return {
        key: ordered[key] for key, before in zip(keys, work, strict=False) if int(before / share) == shard
    }


def prefix_runs(requests: Sequence[Request]) -> int:
    """How often the shared prefix changes along `requests`, the first one counted."""
    changes = (before.prefix != after.prefix for before, after in pairwise(requests))
    return sum(changes) + bool(requests)


def _words(request: Request) -> tuple[tuple[str, str], ...]:
    return tuple((message.role, message.content) for message in request.messages)


def _work(request: Request) -> int:
    """Relative cost of a request: a generated token costs about as much as 16 characters read."""
    read = sum(len(message.content) for message in request.messages[request.n_prefix :])
    return read + 16 * max(request.decoding.max_tokens, 1)
