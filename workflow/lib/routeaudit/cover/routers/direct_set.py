"""Direct set scorer: one logistic regression on a team's joint text, no partition, no pair decomposition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, best_route
from routeaudit.cover.routers.linear import Matrix, fit_logistic, logit, stack_outcomes
from routeaudit.cover.routers.text import Bm25Cards, Similarity, words
from routeaudit.cover.routers.training import Training
from routeaudit.cover.routers.view import TaskView, Team, View

NAMES = ("bm25_sum", "bm25_min", "words_joint", "grams_joint", "question_covered", "cards_alike", "workers")


class SetFeatures:
    """Features of a question and each legal team's cards, as deviations from the task's mean team."""

    def __init__(self, corpus: Sequence[TaskView]) -> None:
        self._bm25 = Bm25Cards(corpus)
        self._similarity = Similarity(corpus)

    def of(self, task: TaskView) -> Matrix:
        """One row per legal team, one column per name in `NAMES`."""
        retrieved = self._bm25.scores(task)
        joint = [task.team_text(team) for team in task.teams]
        by_words = self._similarity.by_words([task.question], joint)[0]
        by_grams = self._similarity.by_grams([task.question], joint)[0]
        workers = list(task.cards)
        alike = self._similarity.by_grams(list(task.cards.values()), list(task.cards.values()))
        rows = []
        for place, team in enumerate(task.teams):
            found = [retrieved[worker] for worker in team.workers]
            members = [workers.index(worker) for worker in team.workers]
            rows.append(
                [
                    sum(found),
                    min(found),
                    by_words[place],
                    by_grams[place],
                    self._covered(task, team),
                    _mean_pair(alike, members),
                    float(len(members)),
                ]
            )
        features = np.array(rows)
        centred: Matrix = features - features.mean(axis=0)
        return centred

    def _covered(self, task: TaskView, team: Team) -> float:
        """Share of the question's words, weighted by rarity, that the team's cards contain."""
        asked = set(words(task.question))
        weights = {word: self._similarity.rarity(word) for word in asked}
        found = asked & set(words(task.team_text(team)))
        return sum(weights[word] for word in sorted(found)) / (sum(weights.values()) or 1.0)


class DirectSetRouter(Router):
    """Logistic regression on question and team-card features, fitted to the training outcomes.

    The paper describes its direct scorer as team scoring without a partition decoder and gives no features;
    ours is an interface-level adaptation: the features of `SetFeatures`, an L2 penalty, outcomes as targets.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float) -> None:
        self._inverse_penalty = inverse_penalty

    def fit(self, training: Training) -> Fitted:
        """Weights per standardised feature."""
        features = SetFeatures(training.corpus)
        matrix, targets = stack_outcomes(training, [features.of(task) for task in training.tasks])
        return fit_logistic(matrix, targets, self._inverse_penalty, NAMES)

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of the highest fitted log odds."""
        features = SetFeatures(view.corpus)
        return [best_route(task, logit(fitted, features.of(task))) for task in view.tasks]


def _mean_pair(alike: Matrix, members: Sequence[int]) -> float:
    pairs = [alike[a, b] for place, a in enumerate(members) for b in members[place + 1 :]]
    return float(np.mean(pairs)) if pairs else 0.0
