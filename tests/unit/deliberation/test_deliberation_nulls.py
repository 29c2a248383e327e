"""Closed forms of the sanity constructions against simulation (statistics A18)."""

from __future__ import annotations

import numpy as np
import pytest
from deliberation_blocks import Poll, to_blocks

from routeaudit.deliberation.nulls import (
    expected_permuted_ctr,
    noisy_oracle,
    noisy_oracle_null,
    permutation_null,
    permuted,
    routing_values,
    selection_law,
)
from routeaudit.deliberation.routing.metrics import routing_sums


def cell(n_blocks: int, seed: int):
    rng = np.random.default_rng(seed)
    rows = [
        [
            Poll(int(rng.choice([50, 80, 90, 95])), bool(rng.random() < 0.7), bool(rng.random() < 0.5))
            for _ in range(3)
        ]
        for _ in range(n_blocks)
    ]
    return to_blocks(rows, None, [i % 50 for i in range(n_blocks)])


def test_permutation_drives_pcca_to_one_half_and_ctr_to_its_closed_form():
    blocks = cell(800, 0)
    found = permutation_null(blocks, np.random.default_rng(1), repeats=300)
    error = {name: found.sd[name] / np.sqrt(300) for name in found.sd}
    assert abs(found.mean["PCCA"] - 0.5) < 4 * error["PCCA"]
    assert abs(found.mean["CTR"] - expected_permuted_ctr(blocks)) < 4 * error["CTR"]


def test_permutation_p_value_is_small_for_an_informative_score_and_large_for_noise():
    blocks = cell(400, 2)
    informative = noisy_oracle(blocks, 0.5, np.random.default_rng(3))
    assert permutation_null(informative, np.random.default_rng(4), repeats=99).p_value == 0.01
    assert permutation_null(blocks, np.random.default_rng(4), repeats=99).p_value > 0.01


def test_permutation_moves_scores_and_never_labels():
    blocks = cell(50, 5)
    moved = permuted(blocks, np.random.default_rng(6))
    assert (moved.valid == blocks.valid).all()
    assert (np.sort(moved.score.reshape(-1, 3), 1) == np.sort(blocks.score.reshape(-1, 3), 1)).all()
    assert (moved.score != blocks.score).any()


@pytest.mark.parametrize(("m", "tied"), [(3, 1), (3, 2), (3, 3), (5, 2)])
def test_selection_law_of_first_seen_ties(m, tied):
    law = selection_law(m, tied)
    rng = np.random.default_rng(7)
    scores = rng.permuted(np.tile(np.arange(m) < tied, (20_000, 1)), axis=1)
    seen = np.bincount(scores.argmax(axis=1), minlength=m) / 20_000
    assert law.sum() == pytest.approx(1)
    assert np.abs(seen - law).max() < 4 * np.sqrt(0.25 / 20_000)


def test_noisy_oracle_reaches_the_clipped_theory_at_sigma_one_half():
    blocks = cell(20_000, 8)
    found = routing_values(routing_sums(noisy_oracle(blocks, 0.5, np.random.default_rng(9))))
    assert found["CTR"] == pytest.approx(0.02275, abs=0.003)
    assert found["PCCA"] == pytest.approx(0.9162, abs=0.006)


def test_noisy_oracle_saturates_as_noise_vanishes():
    found = noisy_oracle_null(cell(500, 10), 0.05, np.random.default_rng(11), repeats=5)
    assert (found.mean["PCCA"], found.mean["CTR"], found.mean["HRWP"]) == (1.0, 0.0, 1.0)
