"""A plan counts requests as they will be sent, and says what is left."""

from __future__ import annotations

from itertools import combinations

import pytest
from execution_samples import IDENTITY, request

from routeaudit.errors import InputError
from routeaudit.execution import Decoding, Message, Request
from routeaudit.execution.estimate import count_requests, forecast, token_load
from routeaudit.execution.scheduling import distinct


def test_a_message_is_asked_once_per_worker_and_a_final_once_per_team() -> None:
    counts = count_requests([("t1", ("w1", "w2")), ("t1", ("w2", "w3")), ("t2", ("w1", "w2"))])
    assert (counts.cells, counts.worker_requests, counts.finalizer_requests) == (3, 5, 3)
    assert (counts.distinct, counts.naive) == (8, 9)


def test_a_cell_named_twice_counts_once_whatever_its_workers_order() -> None:
    assert count_requests([("t", ("a", "b")), ("t", ("b", "a"))]).cells == 1


def test_five_workers_and_sixteen_teams_save_more_than_two_thirds() -> None:
    teams = [team for size in (3, 4, 5) for team in combinations("abcde", size)]
    counts = count_requests([(f"t{task}", team) for task in range(10) for team in teams])
    assert counts.cells == 160
    assert counts.distinct == 10 * (5 + 16)
    assert counts.naive == 10 * (10 * 4 + 5 * 5 + 6)
    assert counts.saving > 3


def test_replicates_multiply_requests_not_cells() -> None:
    counts = count_requests([("t", ("a",))], replicates=3)
    assert (counts.cells, counts.distinct, counts.naive) == (1, 6, 6)


def test_no_cells_need_no_requests() -> None:
    assert count_requests([]).distinct == 0
    assert count_requests([]).saving == 1.0


def test_tokens_are_a_third_of_the_bytes_eight_per_turn_and_the_longest_answer() -> None:
    load = token_load([Request((Message("user", "x" * 30), Message("user", "é" * 15)), Decoding(7))] * 2)
    assert (load.prompt, load.completion, load.total) == (2 * (20 + 16), 14, 86)


def test_what_is_finished_costs_nothing_more() -> None:
    wanted = distinct([request(str(number)) for number in range(4)], IDENTITY)
    one_each = token_load(wanted.values()).total // 4
    left = forecast(wanted, list(wanted)[:3], tokens_per_s=0.5, devices_per_shard=2, shards=4)
    assert (left.distinct, left.finished, left.load.total) == (4, 3, one_each)
    assert left.seconds == pytest.approx(one_each / 0.5 / 4)
    assert left.device_hours == pytest.approx(one_each / 0.5 * 2 / 3600)


def test_a_speed_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        forecast({}, (), tokens_per_s=0.0)
