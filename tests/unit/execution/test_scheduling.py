"""Shards divide the requests, and their order shares prefixes."""

from __future__ import annotations

import random

import pytest
from execution_samples import IDENTITY, request
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.errors import InputError
from routeaudit.execution import Decoding, Message, Request, shard_of
from routeaudit.execution.scheduling import distinct, prefix_runs


def requests(n: int, prefixes: int = 3) -> list[Request]:
    return [
        Request(
            (
                Message("user", f"shots {number % prefixes}"),
                Message("user", f"q{number} " * (number % 4 + 1)),
            ),
            Decoding(4),
            n_prefix=1,
        )
        for number in range(n)
    ]


@given(n=st.integers(0, 60), shards=st.integers(1, 9))
def test_every_request_is_in_exactly_one_shard(n: int, shards: int) -> None:
    wanted = distinct(requests(n), IDENTITY)
    assert [key for shard in range(shards) for key in shard_of(wanted, shard, shards)] == list(wanted)


def test_shards_have_about_equal_work() -> None:
    wanted = distinct(requests(400), IDENTITY)
    work = [
        sum(len(one.messages[-1].content) + 64 for one in shard_of(wanted, shard, 8).values())
        for shard in range(8)
    ]
    assert max(work) < 1.05 * min(work)


def test_shards_are_the_same_whatever_order_the_requests_came_in() -> None:
    shuffled = random.Random(1).sample(requests(50), 50)
    one, other = distinct(requests(50), IDENTITY), distinct(shuffled, IDENTITY)
    assert list(one) == list(other)
    assert list(shard_of(one, 1, 3)) == list(shard_of(other, 1, 3))


def test_each_shared_prefix_is_met_once() -> None:
    ordered = list(distinct(requests(60, prefixes=5), IDENTITY).values())
    assert prefix_runs(ordered) == 5
    assert prefix_runs(requests(60, prefixes=5)) == 60


@pytest.mark.parametrize("shard", [-1, 3])
def test_a_shard_that_does_not_exist_is_refused(shard: int) -> None:
    with pytest.raises(InputError, match="from 0 to 2"):
        shard_of(distinct([request("a")], IDENTITY), shard, 3)
