"""By size the gold card has no place of its own among the distractors of its slot."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.cover.benchmarks.balance import Pool, balanced_hand, card_sizes, hand_chances
from routeaudit.cover.benchmarks.base import Passage

SIZES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=4, max_size=9)


def pool(sizes: list[tuple[int, int]], gold: tuple[float, float] = (3, 2), task: str = "t") -> Pool:
    return Pool(task, gold, tuple((Passage(f"p{n}", "", ()), size) for n, size in enumerate(sizes)))


@settings(deadline=None)
@given(SIZES, st.integers(1, 3), st.integers(0, 20))
def test_hand_has_the_places_asked_for_and_no_card_twice(
    sizes: list[tuple[int, int]], places: int, seed: int
) -> None:
    hand = balanced_hand(pool(sizes), places, seed, 0)
    assert len({passage.unit_id for passage in hand}) == len(hand) == places
    assert hand == balanced_hand(pool(sizes), places, seed, 0)


@settings(deadline=None)
@given(st.lists(st.floats(0.3, 3), min_size=3, max_size=6), st.integers(1, 2))
def test_expected_size_is_the_wanted_one_where_the_candidates_surround_it(
    distances: list[float], places: int
) -> None:
    sizes = np.array([[sign * d, -sign * d / 2] for d in distances for sign in (1, -1)]) + 5
    hands = list(combinations(range(len(sizes)), places))
    chances = hand_chances(sizes, hands, np.array([5.2, 4.9]))
    mean = sum(p * sizes[list(hand)].mean(axis=0) for p, hand in zip(chances, hands, strict=True))
    assert chances.sum() == pytest.approx(1)
    assert np.abs(mean - [5.2, 4.9]).max() < 0.12


def test_chances_are_uniform_where_that_is_balanced_already() -> None:
    chances = hand_chances(np.array([[1.0], [3.0], [2.0]]), [(0,), (1,), (2,)], np.array([2.0]))
    assert chances == pytest.approx(np.full(3, 1 / 3), abs=1e-5)


def test_a_preference_makes_cards_late_in_the_order_of_dealing_rarer() -> None:
    chances = hand_chances(np.full((3, 1), 2.0), [(0,), (1,), (2,)], np.array([2.0]), np.log(2))
    assert chances == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=1e-6)


@pytest.mark.parametrize("places", [1, 3])
def test_gold_cards_that_are_smaller_than_most_lose_their_place_by_size(places: int) -> None:
    """Half a standard deviation smaller: at most two thirds as far from even ranks as a free draw."""
    chance = np.random.default_rng(3)
    balanced, free = np.zeros(places + 1), np.zeros(places + 1)
    for task in range(400):
        gold, others = chance.normal(-0.5, 1, 2), chance.normal(0, 1, (18, 2))
        hand = balanced_hand(pool([tuple(row) for row in others], tuple(gold), f"t{task}"), places, 1, 0)
        balanced[sum(others[int(passage.unit_id[1:])][1] < gold[1] for passage in hand)] += 1
        free[sum(size < gold[1] for size in others[:places, 1])] += 1
    even = 400 / (places + 1)
    assert np.abs(balanced - even).max() < 2 / 3 * np.abs(free - even).max()


def test_sizes_are_characters_and_words_in_standard_deviations() -> None:
    sizes = np.array(card_sizes(["a", "a bc d", "abc"]))
    assert sizes.std(axis=0) == pytest.approx([1, 1])
    assert sizes[1, 0] / sizes[0, 0] == 6
    assert sizes[1, 1] / sizes[0, 1] == 3
    assert card_sizes(["ab", "ab"])[0] == (2.0, 1.0)
