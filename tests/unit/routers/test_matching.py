"""Pair routers on families that are no product of two slots."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from routeaudit.config import routers as config
from routeaudit.cover.freeze.wire import ask_broker
from routeaudit.cover.routers import Corpus, TaskView, Training, View
from routeaudit.cover.routers.local import outcome_labels, pair_table
from routeaudit.cover.routers.matching import LARGEST_SEARCH, best_matching
from routeaudit.cover.routers.registry import build_router
from routeaudit.errors import InputError
from unit.routers.tasks import task

WEIGHTS = st.integers(1, 6).flatmap(lambda n: arrays(np.float64, (n, n), elements=st.floats(0, 1)))
THEMES = ("weavers", "harbours", "sermons", "novels", "bridges", "museums")


def matchings(places: list[int]) -> list[list[tuple[int, int]]]:
    if len(places) < 2:
        return [[]]
    first, rest = places[0], places[1:]
    paired = [
        [(first, other), *more]
        for other in rest
        for more in matchings([place for place in rest if place != other])
    ]
    return paired + matchings(rest)


@given(WEIGHTS)
def test_the_search_finds_the_heaviest_matching(weights: np.ndarray) -> None:
    found = best_matching(weights)
    best = max(sum(weights[pair] for pair in pairs) for pairs in matchings(list(range(len(weights)))))
    assert sum(weights[pair] for pair in found) == pytest.approx(best)
    ends = [end for pair in found for end in pair]
    assert len(ends) == len(set(ends))


def test_too_many_workers_for_the_search_are_refused() -> None:
    with pytest.raises(InputError, match="exact search"):
        best_matching(np.zeros((LARGEST_SEARCH + 1, LARGEST_SEARCH + 1)))


def asked(number: int) -> tuple[TaskView, tuple[str, str]]:
    """A task over all pairs and triples of four workers, and the pair that its question names."""
    rng = np.random.default_rng(number)
    themes = [str(theme) for theme in rng.choice(THEMES, 4, replace=False)]
    cards = {f"w{place}": f"Notes on {theme}" for place, theme in enumerate(themes)}
    gold = sorted(str(w) for w in rng.choice(list(cards), 2, replace=False))
    question = f"Which {cards[gold[0]].split()[-1]} mention {cards[gold[1]].split()[-1]}?"
    teams = [*combinations(sorted(cards), 2), *combinations(sorted(cards), 3)]
    return task(f"t{number}", question, cards, teams), (gold[0], gold[1])


@pytest.mark.parametrize("definition", [config.UnifiedCover(), config.NoPartition()], ids=lambda d: d.kind)
def test_pair_routers_find_a_team_with_the_gold_pair_in_a_family_of_subsets(
    definition: config.RouterConfig,
) -> None:
    made = [asked(number) for number in range(40)]
    values = {
        one.task_id: {team.team_id: float(set(gold) <= set(team.workers)) for team in one.teams}
        for one, gold in made
    }
    corpus = Corpus([one for one, _ in made])
    router = build_router(definition, ask_broker)
    train, heldout = [one for one, _ in made[:20]], [one for one, _ in made[20:]]
    fitted = router.fit(Training(train, corpus, {one.task_id: values[one.task_id] for one in train}))
    routes = router.route(fitted, View(heldout, corpus))
    assert np.mean([values[route.task_id][route.team_id] for route in routes]) > 0.9


def test_a_pair_is_labelled_by_the_teams_that_hold_it() -> None:
    one = task("t1", "q", {"w1": "a", "w2": "b", "w3": "c"}, [("w1", "w2"), ("w1", "w2", "w3"), ("w1",)])
    corpus = Corpus([one])
    table = pair_table(corpus, one)
    training = Training([one], corpus, {"t1": {"g01": 1.0, "g02": 0.5, "g03": 0.0}})
    labels = dict(zip(map(frozenset, table.pairs), outcome_labels(table, training, one), strict=True))
    assert labels[frozenset(("w1", "w2"))] == 0.75
    assert labels[frozenset(("w2", "w3"))] == 0.5
    unknown = Training([one], corpus, {"t1": {"g01": 1.0}})
    assert np.isnan(
        dict(zip(map(frozenset, table.pairs), outcome_labels(table, unknown, one), strict=True))[
            frozenset(("w1", "w3"))
        ]
    )
