"""Public text as numbers."""

from __future__ import annotations

import numpy as np
import pytest

from routeaudit.cover.routers import Corpus
from routeaudit.cover.routers.evidence import CARD_NAMES, PAIR_NAMES, task_evidence
from routeaudit.cover.routers.sets import NAMES, set_features
from routeaudit.cover.routers.text import body, head, words
from unit.routers.tasks import task

FILM = task(
    "t1",
    "Who is the father of the director of The Quiet Harbour?",
    {
        "w1": "The Quiet Harbour; topics: drama, olsen, fishing",
        "w2": "Mira Olsen; topics: directed, daughter, oslo",
        "w3": "Harbour Bridge; topics: steel, sydney",
    },
)
OTHER = task("t2", "Where was the painter born?", {"w1": "A painter; topics: oil", "w2": "A harbour"})


def test_words_are_content_words_and_cards_have_a_head_and_a_body() -> None:
    assert words("Who is the father of A. Olsen-Berg?") == ["father", "olsen", "berg"]
    assert (head("Title; topics: a, b"), body("Title; topics: a, b")) == ("Title", " topics: a, b")
    assert head("only a title") == body("only a title") == "only a title"


def test_a_share_counts_rare_words_more_and_lies_between_0_and_1() -> None:
    corpus = Corpus([FILM, OTHER])
    assert corpus.share([], ["x"]) == 0.0
    assert corpus.share(["harbour", "olsen"], ["harbour", "olsen"]) == pytest.approx(1.0)
    common = corpus.share(["harbour", "sydney"], ["harbour"])
    assert common < 0.5 < corpus.share(["harbour", "sydney"], ["sydney"])


def test_a_teams_joint_text_is_measured_as_if_it_were_written_out() -> None:
    corpus = Corpus([FILM, OTHER])
    texts = [FILM.team_text(team) for team in FILM.teams]
    for counted, written in (
        (corpus.teams_by_words(FILM), corpus.by_words([FILM.question], texts)),
        (corpus.teams_by_grams(FILM), corpus.by_grams([FILM.question], texts)),
    ):
        assert counted == pytest.approx(written[0], abs=1e-12)
        assert len(set(counted.round(6))) > 1


def test_evidence_sees_the_named_first_hop_and_the_link_to_the_second() -> None:
    evidence = task_evidence(Corpus([FILM, OTHER]), FILM)
    asked = evidence.cards[:, CARD_NAMES.index("head_asked")]
    assert asked[evidence.places["w1"]] == pytest.approx(1.0)
    assert np.argmax(asked) == evidence.places["w1"]
    link = evidence.pairs[:, :, PAIR_NAMES.index("second_head_in_first")]
    first, second, other = (evidence.places[worker] for worker in ("w1", "w2", "w3"))
    assert link[first, second] > 0 == link[first, other]


def test_remembered_measures_equal_fresh_ones() -> None:
    corpus = Corpus([FILM, OTHER])
    first = set_features(corpus, FILM)
    assert set_features(corpus, FILM) is first
    np.testing.assert_array_equal(first, set_features(Corpus([FILM, OTHER]), FILM))


def test_set_features_are_deviations_from_the_mean_team() -> None:
    features = set_features(Corpus([FILM, OTHER]), FILM)
    assert features.shape == (len(FILM.teams), len(NAMES))
    np.testing.assert_allclose(features.mean(axis=0), 0.0, atol=1e-12)


def test_text_without_a_known_word_scores_zero() -> None:
    blank = task("t3", "?", {"w1": "", "w2": "..."})
    corpus = Corpus([FILM, blank])
    assert corpus.bm25(blank) == {"w1": 0.0, "w2": 0.0}
    assert np.isfinite(set_features(corpus, blank)).all()
    assert not set_features(Corpus([blank]), blank).any()
