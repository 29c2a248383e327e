"""Zero-shot router: a language model ranks teams from public text alone."""

from __future__ import annotations

import json

from routeaudit.cover.questions import Ask, Question
from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.simple import draw_team
from routeaudit.cover.routers.view import TaskView


class ZeroShotRouter(Router):
    """The team that the model ranks first; the answer is held to a schema of the task's team ids.

    The prompt shows the question, every worker's card and the legal teams. An answer that is no ranking of
    legal teams is invalid: its task gets a seeded random team and is counted in the header. The paper gives
    no prompt; ours is an interface-level adaptation.
    """

    information = InformationSet.PUBLIC

    def __init__(self, ask: Ask, instruction: str, ranked: int, max_tokens: int) -> None:
        self._ask = ask
        self._instruction = instruction
        self._ranked = ranked
        self._max_tokens = max_tokens

    def fit(self, training: Training) -> Fitted:
        """Keep the seed of the teams drawn after invalid answers."""
        return {"seed": training.seed}

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """Ask once for all tasks."""
        answers = self._ask([self._question(task) for task in view.tasks])
        return [
            _chosen(task, answer, fitted["seed"]) for task, answer in zip(view.tasks, answers, strict=True)
        ]

    def _question(self, task: TaskView) -> Question:
        team_ids = [team.team_id for team in task.teams]
        length = min(self._ranked, len(team_ids))
        ranking = {
            "type": "array",
            "items": {"enum": team_ids},
            "minItems": length,
            "maxItems": length,
        }
        schema = {"type": "object", "properties": {"ranking": ranking}, "required": ["ranking"]}
        return Question(self._instruction, _prompt(task), schema, self._max_tokens)


def _prompt(task: TaskView) -> str:
    workers = "\n".join(f"{worker}: {card}" for worker, card in task.cards.items())
    teams = "\n".join(f"{team.team_id}: {', '.join(team.workers)}" for team in task.teams)
    return f"Question: {task.question}\n\nWorkers:\n{workers}\n\nTeams:\n{teams}"


def _chosen(task: TaskView, answer: str | None, seed: int) -> Route:
    first = _first_ranked(answer)
    if first in {team.team_id for team in task.teams}:
        return Route(task.task_id, str(first))
    return Route(task.task_id, draw_team(seed, task).team_id, fallback=True)


def _first_ranked(answer: str | None) -> object:
    try:
        return json.loads(answer or "")["ranking"][0]
    except (ValueError, LookupError, TypeError):
        return None
