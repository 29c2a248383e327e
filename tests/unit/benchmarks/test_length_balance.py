"""The gold card takes every length rank about equally often, whatever the candidates allow."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.cover.benchmarks.balance import Pool, balanced_hands, balanced_ranks, feasible_ranks
from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.seeding import seeded_key

LENGTHS = st.lists(st.integers(1, 9), min_size=4, max_size=10)


def pool(lengths: list[int], gold: int = 5, task: str = "t") -> Pool:
    return Pool(task, gold, tuple((Passage(f"p{n}", "", ()), length) for n, length in enumerate(lengths)))


def keys(count: int) -> list[str]:
    return [seeded_key(1, "k", number) for number in range(count)]


def length_of(one: Pool) -> dict[str, int]:
    return {passage.unit_id: length for passage, length in one.candidates}


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 4))
def test_feasible_ranks_are_those_that_some_choice_of_distractors_gives(
    lengths: list[int], places: int
) -> None:
    one = pool(lengths)
    shorter = sum(length < 5 for length in lengths)
    longer = sum(length > 5 for length in lengths)
    ties = len(lengths) - shorter - longer
    expected = {
        below + tied_below
        for below in range(min(shorter, places) + 1)
        for tied_below in range(min(ties, places - below) + 1)
        if places - below - tied_below <= longer + ties - tied_below
    }
    assert feasible_ranks(one, places) == sorted(expected)
    assert expected


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 4), st.integers(0, 20))
def test_hand_has_the_places_asked_for_and_no_card_twice(lengths: list[int], places: int, seed: int) -> None:
    one = pool(lengths)
    (hand,) = balanced_hands([one], places, seed, 0)
    assert len({passage.unit_id for passage in hand}) == len(hand) == places
    rank = sum(length_of(one)[passage.unit_id] < 5 for passage in hand)
    ties = sum(length_of(one)[passage.unit_id] == 5 for passage in hand)
    assert any(rank <= allowed <= rank + ties for allowed in feasible_ranks(one, places))


def test_candidates_within_a_rank_are_taken_in_the_order_of_dealing() -> None:
    pools = [pool([1, 9, 2, 8, 3, 7], task=f"t{n}") for n in range(40)]
    for hand in balanced_hands(pools, 2, 1, 0):
        assert {passage.unit_id for passage in hand} in ({"p0", "p2"}, {"p1", "p3"}, {"p0", "p1"})


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 5))
def test_free_tasks_take_every_rank_alike(count: int, n_ranks: int) -> None:
    taken = Counter(balanced_ranks([list(range(n_ranks))] * count, keys(count)))
    assert max(taken.values()) - min(taken[rank] for rank in range(n_ranks)) <= 1


def test_free_tasks_make_up_for_tasks_without_a_choice() -> None:
    allowed = [[0]] * 30 + [[0, 1]] * 50
    ranks = balanced_ranks(allowed, keys(80))
    assert Counter(ranks) == {0: 40, 1: 40}
    assert all(rank in choice for rank, choice in zip(ranks, allowed, strict=True))
