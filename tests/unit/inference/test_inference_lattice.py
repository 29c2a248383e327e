"""The exact engine reproduces the printed intervals and agrees with brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.inference.binomial import mcnemar
from routeaudit.inference.lattice import bootstrap_law, ideal_percentile, lattice_steps, sign_flip_law

G3 = [
    (300, 9, 4, (-2, 12)),
    (300, 14, 7, (-2, 16)),
    (300, 15, 8, (-2, 16)),
    (300, 17, 4, (4, 22)),
    (300, 18, 5, (4, 22)),
    (300, 18, 7, (1, 21)),
    (300, 19, 8, (1, 21)),
    (500, 36, 4, (20, 44)),
    (1000, 119, 32, (64, 111)),
    (1000, 120, 33, (64, 111)),
]


@pytest.mark.parametrize(("n", "wins", "losses", "printed"), G3)
def test_exact_percentile_reproduces_every_printed_interval_in_counts(n, wins, losses, printed):
    assert ideal_percentile(n, wins, losses) == printed


def test_exact_percentile_of_the_llama_table_in_counts():
    assert ideal_percentile(300, 87, 30) == (37, 77)
    assert ideal_percentile(300, 18, 15) == (-8, 14)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_bootstrap_law_equals_enumeration_of_all_resamples(values):
    values = np.array(values)
    totals = [sum(pick) for pick in itertools.product(values.tolist(), repeat=values.size)]
    law = bootstrap_law(values)
    for point in range(min(totals) - 1, max(totals) + 2):
        assert law.probability_at_most(point) == pytest.approx(np.mean(np.array(totals) <= point), abs=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9).filter(any))
@settings(max_examples=60, deadline=None)
def test_sign_flip_law_equals_enumeration_of_all_signs(values):
    signs = itertools.product((-1, 1), repeat=len(values))
    totals = np.array([np.dot(sign, values) for sign in signs])
    law = sign_flip_law(np.array(values))
    for point in range(totals.min() - 1, totals.max() + 2):
        assert law.probability_at_most(point) == pytest.approx((totals <= point).mean(), abs=1e-12)


def test_sign_flip_of_binary_differences_is_exact_mcnemar():
    values = np.array([1] * 18 + [-1] * 15 + [0] * 40)
    two_sided = 2 * sign_flip_law(values).probability_at_most(-3)
    assert two_sided == pytest.approx(mcnemar(18, 15), rel=1e-10)


@pytest.mark.parametrize(
    ("values", "steps"),
    [([0, 1, 1], 1), ([0, 1 / 3, 1], 3), ([0.5, 0.25], 4), ([0.1, 0.15], 20), ([0.1234567, 0.7654321], None)],
)
def test_lattice_is_found_only_where_values_are_multiples_of_one_over_q(values, steps):
    assert lattice_steps(np.array(values, dtype=float)) == steps
