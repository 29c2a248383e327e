"""Routers whose choice can be worked out by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from routeaudit.config import routers as config
from routeaudit.cover.freeze.wire import ask_broker
from routeaudit.cover.routers import Corpus, TaskView, Training, View
from routeaudit.cover.routers.additive import contributions
from routeaudit.cover.routers.linear import fit_logistic, probability
from routeaudit.cover.routers.registry import build_router
from routeaudit.cover.routers.slots import Slots, hop_slots, two_slots
from unit.routers.tasks import task

CARDS = {"w1": "knows weavers", "w2": "knows harbours", "w3": "knows sermons"}


def chosen(
    definition: config.RouterConfig,
    tasks: list[TaskView],
    train: list[TaskView] | None = None,
    values: Mapping[str, Mapping[str, float]] | None = None,
) -> list[tuple[str, ...]]:
    corpus = Corpus([*tasks, *(train or [])])
    router = build_router(definition, ask_broker)
    fitted = router.fit(Training(train or [], corpus, values or {}, seed=definition.seed))
    routes = router.route(fitted, View(tasks, corpus))
    by_id = {task.task_id: {team.team_id: team.workers for team in task.teams} for task in tasks}
    return [by_id[route.task_id][route.team_id] for route in routes]


def test_chance_is_uniform_moves_with_the_seed_and_not_with_other_tasks() -> None:
    tasks = [task(f"t{n}", "q", CARDS) for n in range(600)]
    teams = chosen(config.Random(seed=1), tasks)
    assert min(Counter(teams).values()) > 150
    assert chosen(config.Random(seed=1), tasks[:7]) == teams[:7]
    assert chosen(config.Random(seed=2), tasks) != teams


def test_all_workers_is_the_largest_legal_team() -> None:
    large = task("t1", "q", CARDS, [("w1",), ("w1", "w2", "w3"), ("w2", "w3")])
    assert chosen(config.AllWorkers(), [large]) == [("w1", "w2", "w3")]


def test_best_fixed_follows_the_workers_not_the_team_ids() -> None:
    train = [task(f"t{n}", "q", CARDS, [("w1", "w2"), ("w2", "w3"), ("w1", "w3")]) for n in range(2)]
    values = {"t0": {"g01": 0.0, "g02": 1.0, "g03": 0.2}, "t1": {"g01": 1.0, "g02": 0.5, "g03": 0.2}}
    asked = task("t9", "q", CARDS, [("w1", "w3"), ("w3", "w2"), ("w1", "w2")])
    without = task("t8", "q", CARDS, [("w1", "w3"), ("w1", "w2")])
    found = chosen(config.BestFixed(), [asked, without], train, values)
    assert found == [("w3", "w2"), ("w1", "w2")]


def test_a_tie_goes_to_the_lowest_canonical_rank() -> None:
    same = task("t1", "nothing shared", CARDS)
    assert chosen(config.Bm25(), [same]) == [("w1", "w2")]


def test_bm25_takes_the_cards_that_the_question_names() -> None:
    asked = task("t1", "Which sermons do harbours inspire?", CARDS)
    assert chosen(config.Bm25(), [asked]) == [("w2", "w3")]


def test_the_capability_rule_buys_every_matching_worker_and_no_other() -> None:
    teams = [("w1",), ("w2",), ("w1", "w2", "w3"), ("w1", "w2"), ("w3",)]
    asked = [
        task("t1", "Do weavers like harbours?", CARDS, teams),
        task("t2", "Are sermons long?", CARDS, teams),
        task("t3", "Nothing.", CARDS, teams),
    ]
    assert chosen(config.PublicCapability(), asked) == [("w1", "w2"), ("w3",), ("w1",)]


def test_the_card_retriever_buys_the_best_cards_up_to_its_number() -> None:
    teams = [("w1",), ("w3",), ("w1", "w2", "w3"), ("w1", "w3")]
    asked = [task("t1", "Do weavers weavers like sermons?", CARDS, teams)]
    assert chosen(config.CardRetriever(top_k=1), asked) in ([("w1",)], [("w3",)])
    assert chosen(config.CardRetriever(top_k=2), asked) == [("w1", "w3")]
    assert chosen(config.CardRetriever(top_k=5), asked) == [("w1", "w2", "w3")]


def test_contributions_are_means_with_minus_means_without() -> None:
    one = task("t1", "q", CARDS, [("w1", "w2"), ("w1", "w3"), ("w2", "w3"), ("w3",)])
    outcomes = np.array([1.0, 0.5, 0.25, np.nan])
    np.testing.assert_allclose(contributions(one, outcomes), [0.75 - 0.25, 0.625 - 0.5, 0.375 - 1.0])
    np.testing.assert_array_equal(np.isnan(contributions(one, np.full(4, np.nan))), True)


def test_the_additive_router_takes_the_workers_that_contributed_in_training() -> None:
    train = [task(f"t{n}", "Do weavers like harbours?", CARDS) for n in range(9)]
    values = {one.task_id: {"g01": 1.0, "g02": 0.5, "g03": 0.5} for one in train}
    asked = task("t9", "Do sermons mention harbours?", CARDS)
    assert chosen(config.LeaveOneOut(), [asked], train, values) == [("w2", "w3")]


def test_learned_value_leaves_out_a_worker_that_does_not_pay() -> None:
    teams = [("w1",), ("w1", "w2")]
    train = [task(f"t{n}", "weavers", CARDS, teams) for n in range(20)]
    values = {one.task_id: {"g01": 0.5, "g02": 0.52} for one in train}
    asked = [task("t99", "weavers", CARDS, teams)]
    assert chosen(config.LearnedValue(cost_weight=0.1), asked, train, values) == [("w1",)]
    assert chosen(config.LearnedValue(cost_weight=0.0), asked, train, values) == [("w1", "w2")]


def test_graded_targets_are_fitted_to_their_means() -> None:
    features = np.repeat([[0.0], [1.0]], 50, axis=0)
    targets = np.repeat([0.25, 0.75], 50)
    fitted = fit_logistic(features, targets, 1e6, ["x"])
    np.testing.assert_allclose(probability(fitted, np.array([[0.0], [1.0]])), [0.25, 0.75], atol=1e-3)


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_one_class_of_outcomes_gives_a_constant(outcome: float) -> None:
    fitted = fit_logistic(np.array([[0.0], [1.0]]), np.full(2, outcome), 1.0, ["x"])
    assert fitted["weights"] == [0.0]
    assert probability(fitted, np.zeros((1, 1)))[0] == pytest.approx(outcome, abs=2e-3)


def test_slots_are_read_off_a_product_family_and_off_no_other() -> None:
    four = {f"w{n}": "" for n in range(1, 8)}
    product = [(a, b) for a in ("w2", "w4", "w6", "w7") for b in ("w1", "w3", "w5")]
    assert two_slots(task("t1", "q", four, product)) == (("w1", "w3", "w5"), ("w2", "w4", "w6", "w7"))
    assert two_slots(task("t1", "q", four, product[:-1])) is None
    assert two_slots(task("t1", "q", CARDS)) is None
    assert two_slots(task("t1", "q", CARDS, [("w1",), ("w1", "w2")])) is None


def test_the_first_hop_is_the_larger_slot_or_the_one_that_the_question_names() -> None:
    cards = {"w1": "Oslo", "w2": "Bergen", "w3": "Quiet Harbour", "w4": "Mira Olsen"}
    equal = task("t1", "Who made Quiet Harbour?", cards, [(a, b) for a in ("w1", "w2") for b in ("w3", "w4")])
    assert hop_slots(Corpus([equal]), equal) == Slots(("w3", "w4"), ("w1", "w2"))
    larger = task("t2", "Who made Quiet Harbour?", cards, [(a, "w3") for a in ("w1", "w2", "w4")])
    assert hop_slots(Corpus([larger]), larger) == Slots(("w1", "w2", "w4"), ("w3",))
