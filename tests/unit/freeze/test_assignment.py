"""Folds: whole source components, dealt by a seeded hash."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from routeaudit.cover.freeze import assign_folds, crossfit_assignment

CLUSTERS = st.dictionaries(
    st.from_regex(r"t[0-9]{3}", fullmatch=True), st.from_regex(r"c[0-9]", fullmatch=True), min_size=1
)


@given(CLUSTERS, st.integers(2, 5), st.integers(0, 99))
def test_every_task_is_routed_once_by_a_fit_that_saw_no_task_of_its_component(
    clusters: dict[str, str], n_folds: int, seed: int
) -> None:
    assignment = crossfit_assignment(clusters, n_folds, seed)
    assert assignment.routed == tuple(sorted(clusters))
    for fit in assignment.fits:
        trained = {clusters[task] for task in fit.train}
        assert trained.isdisjoint(clusters[task] for task in fit.route)
        assert sorted([*fit.train, *fit.route]) == sorted(clusters)


def test_folds_are_balanced_and_move_with_the_seed() -> None:
    clusters = {f"t{n}": f"c{n}" for n in range(100)}
    folds = [assign_folds(clusters, 5, seed) for seed in (1, 2)]
    assert set(Counter(folds[0].values()).values()) == {20}
    assert folds[0] != folds[1]
    assert folds[0] == assign_folds(dict(reversed(clusters.items())), 5, 1)


def test_group_numbers_say_only_which_training_tasks_share_a_source() -> None:
    assignment = crossfit_assignment({"t1": "secret a", "t2": "secret a", "t3": "b", "t4": "c"}, 2, 1)
    for fit in assignment.fits:
        groups = assignment.groups(fit)
        assert set(groups) == set(fit.train)
        assert all(isinstance(number, int) for number in groups.values())
        if {"t1", "t2"} <= set(groups):
            assert groups["t1"] == groups["t2"]
