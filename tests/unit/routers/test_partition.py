"""Partition decoders against brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from routeaudit.cover.routers import partition
from routeaudit.cover.routers.partition import assignment_scores, posterior_scores

SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))
LOG_ODDS = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.floats(-6, 6)))


def matchings(shape: tuple[int, int]) -> list[list[tuple[int, int]]]:
    rows, columns = shape
    if rows >= columns:
        return [
            list(zip(chosen, range(columns), strict=True)) for chosen in permutations(range(rows), columns)
        ]
    return [[(row, column) for column, row in links] for links in matchings((columns, rows))]


@given(LOG_ODDS)
def test_the_posterior_is_the_sum_over_all_partitions(log_odds: np.ndarray) -> None:
    total, held = 0.0, np.zeros_like(log_odds)
    for links in matchings(log_odds.shape):
        weight = np.exp(sum(log_odds[link] for link in links))
        total += weight
        for link in links:
            held[link] += weight
    np.testing.assert_allclose(posterior_scores(log_odds), log_odds + np.log(held / total), atol=1e-9)


@given(LOG_ODDS)
def test_the_assignment_has_the_most_expected_right_links(log_odds: np.ndarray) -> None:
    probability = 1 / (1 + np.exp(-log_odds))
    best = max(sum(probability[link] for link in links) for links in matchings(log_odds.shape))
    kept = np.isfinite(assignment_scores(log_odds))
    assert probability[kept].sum() == pytest.approx(best)
    assert kept.sum() == min(log_odds.shape)


def test_a_link_that_competes_with_a_surer_one_gives_way() -> None:
    # Locally (0, 1) is best; but column 1 belongs to row 1, and (0, 0) is nearly as good.
    log_odds = np.array([[1.8, 2.0], [-4.0, 1.9]])
    assert np.unravel_index(np.argmax(log_odds), (2, 2)) == (0, 1)
    assert np.isneginf(assignment_scores(log_odds)[0, 1])
    assert np.argmax(posterior_scores(log_odds)) != 1


def test_too_many_partitions_fall_back_to_the_best_one(monkeypatch: pytest.MonkeyPatch) -> None:
    log_odds = np.arange(12.0).reshape(4, 3) / 7
    monkeypatch.setattr(partition, "LARGEST_EXACT_SUM", 23)
    np.testing.assert_array_equal(posterior_scores(log_odds), assignment_scores(log_odds))
