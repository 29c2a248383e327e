"""What a router sees of a task: the public tables and the legal family, nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from routeaudit.errors import InputError
from routeaudit.tables.artifacts import FAMILY, PUBLIC_CARDS, PUBLIC_TASKS
from routeaudit.tables.schema import TableSchema


@dataclass(frozen=True)
class Team:
    """A legal team; `rank` is its place in the task's canonical order (0 first)."""

    team_id: str
    workers: tuple[str, ...]
    cost: float
    rank: int


@dataclass(frozen=True)
class TaskView:
    """One task's public side: the question, a card per worker, the legal teams in canonical order."""

    task_id: str
    question: str
    cards: Mapping[str, str]
    teams: tuple[Team, ...]
    worker_cost: float
    budget_cap: float

    def team_text(self, team: Team) -> str:
        """The cards of a team as one text."""
        return "\n".join(self.cards[worker] for worker in team.workers)


def read_view(tasks: Path, cards: Path, family: Path) -> dict[str, TaskView]:
    """Read the public tables into one view per task, by task id.

    Raises
    ------
    InputError : a task without legal teams, or a team with a worker that has no card.
    """
    card_rows = _by_task(read_rows(cards, PUBLIC_CARDS))
    team_rows = _by_task(read_rows(family, FAMILY))
    views = {}
    for row in read_rows(tasks, PUBLIC_TASKS):
        task_id = row["task_id"]
        texts = {card["worker_id"]: card["card"] for card in card_rows.get(task_id, [])}
        teams = _teams(team_rows.get(task_id, []), texts, f"{family}, task {task_id!r}")
        views[task_id] = TaskView(
            task_id, row["question"], texts, teams, row["worker_cost"], row["budget_cap"]
        )
    return views


def read_rows(path: Path, schema: TableSchema) -> list[dict[str, Any]]:
    """Rows of an artifact, read without starting threads: the reading process may fork, or be a fork."""
    table = schema.conform(pq.read_table(path, use_threads=False, pre_buffer=False), str(path))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _teams(rows: Sequence[dict[str, Any]], cards: Mapping[str, str], where: str) -> tuple[Team, ...]:
    teams = [Team(row["team_id"], tuple(row["workers"]), row["cost"], row["canonical_rank"]) for row in rows]
    if not teams:
        raise InputError(where, "at least one legal team", "none", "publish the family of every task")
    for team in teams:
        without = [worker for worker in team.workers if worker not in cards]
        if without:
            raise InputError(
                f"{where}, team {team.team_id!r}",
                "workers with a card",
                f"{without} without one",
                "publish a card for every worker",
            )
    return tuple(sorted(teams, key=lambda team: team.rank))


def _by_task(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["task_id"]].append(row)
    return grouped
