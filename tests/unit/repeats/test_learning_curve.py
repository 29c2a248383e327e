"""Thinned training sets of the learning curve."""

from __future__ import annotations

from itertools import pairwise

from routeaudit.cover.freeze import crossfit_assignment
from routeaudit.cover.repeats.learning import thinned

CLUSTERS = {f"t{i}": f"c{i // 2}" for i in range(60)}
DEAL = crossfit_assignment(CLUSTERS, 5, seed=3)


def test_thinning_routes_the_same_tasks() -> None:
    assert [fit.route for fit in thinned(DEAL, 0.25, 1).fits] == [fit.route for fit in DEAL.fits]


def test_thinning_keeps_whole_components_and_none_of_the_routed_ones() -> None:
    for fit in thinned(DEAL, 0.25, 1).fits:
        kept = {CLUSTERS[task] for task in fit.train}
        assert {task for task, cluster in CLUSTERS.items() if cluster in kept} == set(fit.train)
        assert kept.isdisjoint(CLUSTERS[task] for task in fit.route)
        assert len(kept) == 6


def test_a_smaller_share_lies_inside_a_larger_one_and_the_whole_is_everything() -> None:
    curves = [thinned(DEAL, share, 1) for share in (0.25, 0.5, 1.0)]
    for small, large in pairwise(curves):
        for one, other in zip(small.fits, large.fits, strict=True):
            assert set(one.train) < set(other.train)
    assert curves[-1] == DEAL
