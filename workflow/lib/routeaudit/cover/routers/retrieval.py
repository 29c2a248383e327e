"""Retrieval over cards: the question is the query."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, Scores, best_route
from routeaudit.cover.routers.text import Bm25Cards
from routeaudit.cover.routers.view import TaskView, View


class Bm25Router(Router):
    """The team with the largest sum of BM25 scores of its cards (the library's defaults)."""

    information = InformationSet.PUBLIC

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The best-matching team of every task."""
        index = Bm25Cards(view.corpus)
        return [best_route(task, _team_sums(task, index.scores(task))) for task in view.tasks]


def _team_sums(task: TaskView, scores: Mapping[str, float]) -> Scores:
    return np.array([sum(scores[worker] for worker in team.workers) for team in task.teams])
