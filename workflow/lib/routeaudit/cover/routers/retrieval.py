"""Retrieval over cards: the question is the query."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, best_route
from routeaudit.cover.routers.material import View
from routeaudit.cover.routers.text import words
from routeaudit.cover.routers.view import TaskView


class Bm25Router(Router):
    """The team with the largest sum of BM25 scores of its cards (the library's defaults)."""

    information = InformationSet.PUBLIC

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The best-matching team of every task."""
        return [best_route(task, _team_sums(task, view.corpus.bm25(task))) for task in view.tasks]


class CardRetrieverRouter(Router):
    """The cheapest team that holds most of the `top_k` best-matching cards.

    In the style of ToolBench's retriever, which hands the top five tools to the agent; an interface-level
    adaptation: cards are ranked by TF-IDF cosine where ToolBench trains a dense encoder.
    """

    information = InformationSet.PUBLIC

    def __init__(self, top_k: int) -> None:
        self._top_k = top_k

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of every task that covers the retrieved cards."""
        return [self._best(view, task) for task in view.tasks]

    def _best(self, view: View, task: TaskView) -> Route:
        cosines = view.corpus.by_words([task.question], list(task.cards.values()))[0]
        ranked = sorted(zip(task.cards, cosines, strict=True), key=lambda card: -card[1])
        retrieved = {worker for worker, _ in ranked[: self._top_k]}
        held = np.array([float(len(retrieved.intersection(team.workers))) for team in task.teams])
        return best_route(task, held - _cost_tie_break(task))


class PublicCapabilityRouter(Router):
    """A rule on declared capabilities: the cheapest team with every worker whose card the question touches.

    The paper's capability router is frozen and undefined; ours is an interface-level adaptation. Where no
    legal team has all of them, the one with most.
    """

    information = InformationSet.PUBLIC

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of every task that covers the capabilities asked for."""
        return [self._best(task) for task in view.tasks]

    def _best(self, task: TaskView) -> Route:
        asked = set(words(task.question))
        matching = {worker for worker, card in task.cards.items() if asked.intersection(words(card))}
        held = np.array([float(len(matching.intersection(team.workers))) for team in task.teams])
        return best_route(task, held - _cost_tie_break(task))


def _team_sums(task: TaskView, scores: Mapping[str, float]) -> Scores:
    return np.array([sum(scores[worker] for worker in team.workers) for team in task.teams])


def _cost_tie_break(task: TaskView) -> Scores:
    """Less than one card for any cost, and more for a dearer team."""
    costs = np.array([team.cost for team in task.teams])
    share: Scores = costs / (costs.max() + 1.0)
    return share
