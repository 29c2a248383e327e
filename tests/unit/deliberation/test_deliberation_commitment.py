"""Commitment metrics, classes, decomposition and judges: brute force and identities."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from routeaudit.deliberation.commitment.classes import MatchFlags, class_measures, primary_classes
from routeaudit.deliberation.commitment.metrics import Pairs, commitment_measures, commitment_sums
from routeaudit.deliberation.decomposition import decomposition_measures
from routeaudit.deliberation.judges import Confusion, agreement, confusion, relabel
from routeaudit.errors import InputError

ROWS = st.lists(st.tuples(*[st.booleans()] * 7, st.integers(0, 3)), min_size=1, max_size=40)


def pairs_of(rows) -> Pairs:
    q, r, d = (np.array([row[k] for row in rows]) for k in range(3))
    return Pairs(q, r, d, np.array([row[7] for row in rows]), 4)


def flags_of(rows) -> MatchFlags:
    return MatchFlags(*(np.array([row[k] for row in rows]) for k in (3, 4, 5)))


def value(measures, name):
    return next(m for m in measures if m.name == name).estimate


@given(ROWS)
@settings(max_examples=80, deadline=None)
def test_commitment_equals_counting_rows(rows):
    found = commitment_measures(commitment_sums(pairs_of(rows)))
    divergent = [row for row in rows if row[2]]
    better = sum(r and not q for q, r, *_ in divergent)
    worse = sum(q and not r for q, r, *_ in divergent)
    n, d = len(rows), len(divergent)
    expected = {
        "PSDR": d / n,
        "PSIR": better / d if d else np.nan,
        "PSDRg": worse / d if d else np.nan,
        "NPCS_divergent": (better - worse) / d if d else np.nan,
        "PSIR_unconditional": better / n,
        "PSDRg_unconditional": worse / n,
        "NPCS": (better - worse) / n,
        "incoherent_rate": sum(q != r for q, r, dv, *_ in rows if not dv) / n,
        "NPCS_all_pairs": np.mean([row[1] for row in rows]) - np.mean([row[0] for row in rows]),
    }
    for name, want in expected.items():
        assert value(found, name) == pytest.approx(want, abs=1e-12, nan_ok=True), name


@given(ROWS)
@settings(max_examples=40, deadline=None)
def test_without_incoherent_pairs_the_shift_does_not_depend_on_the_judge(rows):
    coherent = [(q, q if not d else r, d, *rest) for q, r, d, *rest in rows]
    found = commitment_measures(commitment_sums(pairs_of(coherent)))
    assert value(found, "NPCS") == pytest.approx(value(found, "NPCS_all_pairs"), abs=1e-12)


@given(ROWS)
@settings(max_examples=40, deadline=None)
def test_primary_classes_partition_the_pairs_and_add_up_to_the_shift(rows):
    pairs, flags = pairs_of(rows), flags_of(rows)
    classes = primary_classes(flags)
    assert (sum(holds.astype(int) for holds in classes.values()) == 1).all()
    assert (classes["self-revert"] == flags.own).all()
    assert (classes["novel"] == flags.columns()["novel"]).all()
    for name, holds in flags.columns().items():
        assert (classes[name] <= holds).all()
    measures = {m.name: m for m in class_measures(pairs, classes, "primary")}
    shift = sum(measures[f"primary_shift:{name}"].numerator for name in classes)
    sums = commitment_sums(pairs)
    assert shift == sums.total("improved") - sums.total("degraded")


@given(ROWS)
@settings(max_examples=40, deadline=None)
def test_public_success_is_availability_routing_commitment_plus_rescue(rows):
    pairs = pairs_of(rows)
    possible = pairs.polled | np.array([row[6] for row in rows])
    m = {x.name: x.estimate for x in decomposition_measures(pairs, possible)}
    product = m["availability_x_routing_x_commitment"]
    hit = np.mean(pairs.polled)
    rescue = 0.0 if hit == 1 else m["rescue"] * (1 - hit)
    kept = 0.0 if np.isnan(product) else product
    assert m["public_success"] == pytest.approx(kept + rescue, abs=1e-12)


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=1, max_size=60))
@settings(max_examples=40, deadline=None)
def test_kappa_equals_scikit_learn_on_decided_pairs(rows):
    a, b = (np.array([row[k] for row in rows]) for k in range(2))
    table = confusion(("one", a), ("two", b))
    known = (a >= 0) & (b >= 0)
    assert table.decided + table.undecided == len(rows)
    if not known.any():
        with pytest.raises(InputError):
            agreement(table)
        return
    found = agreement(table)
    both = np.concatenate([a[known], b[known]])
    if both.min() != both.max():
        assert found.kappa == pytest.approx(cohen_kappa_score(a[known], b[known]), abs=1e-12)
    else:
        assert np.isnan(found.kappa)


@given(st.tuples(*[st.integers(1, 9)] * 4), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_kappa_bounds_are_the_extremes_over_every_way_of_deciding_the_undecided(cells, open_pairs):
    dd, de, ed, ee = cells
    splits = [s for s in product(range(open_pairs + 1), repeat=3) if sum(s) <= open_pairs]
    kappas = [
        agreement(Confusion("one", "two", dd + i, de + j, ed + k, ee + open_pairs - i - j - k)).kappa
        for i, j, k in splits
    ]
    found = agreement(Confusion("one", "two", *cells, undecided=open_pairs)).kappa_bounds
    assert found == pytest.approx((min(kappas), max(kappas)), abs=1e-12)


def test_orientation_is_by_name():
    table = confusion(("gpt", np.array([1, 1, 0])), ("gemma", np.array([1, 0, 0])))
    assert (table.divergent_of("gpt"), table.divergent_of("gemma")) == (2, 1)
    with pytest.raises(InputError, match="gpt or gemma"):
        table.divergent_of("other")


def test_relabelling_keeps_rule_decisions_and_counts_undecided_as_divergent():
    found = relabel(
        np.array([True, True, False, False, False]),
        np.array([True, False, False, False, False]),
        np.array([0, 1, 0, 1, -1]),
    )
    assert found.tolist() == [True, False, False, True, True]
