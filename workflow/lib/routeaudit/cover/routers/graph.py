"""Calibrated graph: card scores spread over the graph of cards, calibrated, summed over nodes and edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, best_route
from routeaudit.cover.routers.linear import Matrix, fit_logistic, logit
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView, Team


@dataclass(frozen=True)
class CardGraph:
    """A task's cards as a graph.

    Parameters
    ----------
    places : row of each worker
    nodes : question-card scores after propagation
    edges : card-card scores, symmetric, no self edges
    """

    places: dict[str, int]
    nodes: Scores
    edges: Matrix


def card_graph(corpus: Corpus, task: TaskView, damping: float) -> CardGraph:
    """Build the graph and propagate.

    Node and edge scores are character n-gram cosines. Propagation is a random walk with restart: the
    solution of s = (1 - damping) s0 + damping W s, W the edges with rows summing to one.
    """
    texts = list(task.cards.values())
    edges = corpus.by_grams(texts, texts)
    np.fill_diagonal(edges, 0.0)
    totals = edges.sum(axis=1, keepdims=True)
    walk = np.divide(edges, totals, out=np.zeros_like(edges), where=totals > 0)
    start = corpus.by_grams([task.question], texts)[0]
    nodes = np.linalg.solve(np.eye(len(texts)) - damping * walk, (1 - damping) * start)
    return CardGraph({worker: place for place, worker in enumerate(task.cards)}, nodes, edges)


class CalibratedGraphRouter(Router):
    """The legal team of the largest sum of calibrated node and edge log odds.

    The paper names this comparator without defining it; ours is an interface-level adaptation. Node
    scores are Platt-calibrated on whether a training team with that worker reached the task's best outcome,
    edge scores on the outcomes of the training teams that hold both ends.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float, damping: float) -> None:
        self._inverse_penalty = inverse_penalty
        self._damping = damping

    def fit(self, training: Training) -> Fitted:
        """Two Platt maps: one for nodes, one for edges."""
        nodes: list[tuple[float, float]] = []
        edges: list[tuple[float, float]] = []
        for task in training.tasks:
            graph = card_graph(training.corpus, task, self._damping)
            outcomes = training.outcomes(task)
            nodes += [(graph.nodes[graph.places[w]], y) for w, y in _best_with(task, outcomes).items()]
            edges += [
                (graph.edges[one, two], outcome)
                for team, outcome in zip(task.teams, outcomes, strict=True)
                for one, two in _links(graph, team)
            ]
        return {"node": self._platt(nodes, "node"), "edge": self._platt(edges, "edge")}

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of the largest calibrated sum."""
        return [
            best_route(task, _team_scores(fitted, card_graph(view.corpus, task, self._damping), task))
            for task in view.tasks
        ]

    def _platt(self, points: Sequence[tuple[float, float]], name: str) -> Fitted:
        known = np.array([point for point in points if not np.isnan(point[1])]).reshape(-1, 2)
        if not len(known):
            known = np.array([[0.0, 0.0]])
        return fit_logistic(known[:, :1], known[:, 1], self._inverse_penalty, (name,))


def _team_scores(fitted: Fitted, graph: CardGraph, task: TaskView) -> Scores:
    nodes = logit(fitted["node"], graph.nodes[:, None])
    edges = logit(fitted["edge"], graph.edges.reshape(-1, 1)).reshape(graph.edges.shape)
    return np.array(
        [
            sum(nodes[graph.places[worker]] for worker in team.workers)
            + sum(edges[one, two] for one, two in _links(graph, team))
            for team in task.teams
        ]
    )


def _best_with(task: TaskView, outcomes: Scores) -> dict[str, float]:
    """The best outcome among each worker's teams; workers without a known outcome are left out."""
    best: dict[str, float] = {}
    for team, outcome in zip(task.teams, outcomes, strict=True):
        for worker in team.workers:
            if not np.isnan(outcome):
                best[worker] = max(best.get(worker, 0.0), float(outcome))
    return best


def _links(graph: CardGraph, team: Team) -> list[tuple[int, int]]:
    return list(combinations((graph.places[worker] for worker in team.workers), 2))
