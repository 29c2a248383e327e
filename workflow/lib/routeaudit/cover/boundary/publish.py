"""From an inventory to the public and private tables (the paper's table 7).

What is public is taken once, by name, into a `PublicTask`; the public tables are built from that alone,
so no private field can slip in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pyarrow as pa

from routeaudit.config.family import FamilyConfig
from routeaudit.cover.benchmarks.base import Inventory, SourceTask, SourceWorker
from routeaudit.cover.boundary.opaque import team_ids, worker_ids
from routeaudit.cover.family.legal import budget_cap, legal_teams, team_cost
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import (
    FAMILY,
    PRIVATE_ANSWERS,
    PRIVATE_EVIDENCE,
    PUBLIC_CARDS,
    PUBLIC_TASKS,
    SPLIT_UNUSED,
)

Row = dict[str, object]


@dataclass(frozen=True)
class Published:
    """The tables on both sides of the boundary; `tasks`, `cards` and `family` are public."""

    tasks: pa.Table
    cards: pa.Table
    family: pa.Table
    evidence: pa.Table
    answers: pa.Table


@dataclass(frozen=True)
class PublicTask:
    """All that the public side learns about a task: `cards` and `slots` by worker id."""

    task_id: str
    question: str
    cards: Mapping[str, str]
    slots: Mapping[str, int]


def publish(inventory: Inventory, index: pa.Table, family: FamilyConfig, seed: int) -> Published:
    """Split an inventory into what routers may see and what they may not.

    Parameters
    ----------
    index : table `index/tasks`; tasks whose split is `unused` are left out
    seed : fixes the opaque worker and team ids

    Raises
    ------
    InputError : an index of another inventory, workers of which only some are named, fewer workers than the
        family needs, or a required evidence unit that no worker holds.
    """
    chosen = _chosen(inventory, index)
    workers = {task_id: _by_worker_id(task, seed) for task_id, task in chosen.items()}
    public = [_public(task_id, task, workers[task_id]) for task_id, task in chosen.items()]
    return Published(
        tasks=PUBLIC_TASKS.from_rows([_task_row(task, family) for task in public]),
        cards=PUBLIC_CARDS.from_rows([row for task in public for row in _card_rows(task)]),
        family=FAMILY.from_rows([row for task in public for row in _family_rows(task, family, seed)]),
        evidence=PRIVATE_EVIDENCE.from_rows(
            [row for task_id in chosen for row in _evidence_rows(task_id, workers[task_id])]
        ),
        answers=PRIVATE_ANSWERS.from_rows(
            [_answer_row(task_id, task, workers[task_id]) for task_id, task in chosen.items()]
        ),
    )


def _chosen(inventory: Inventory, index: pa.Table) -> dict[str, SourceTask]:
    task_of = {task.original_id: task for task in inventory.tasks}
    used = [row for row in index.to_pylist() if row["split"] != SPLIT_UNUSED]
    for row in used:
        if row["original_id"] not in task_of:
            raise InputError(
                f"index/tasks, row {row['task_id']!r}",
                "a task of the inventory",
                f"{row['original_id']!r}, which it does not hold",
                "run the split stage again",
            )
    return {row["task_id"]: task_of[row["original_id"]] for row in used}


def _by_worker_id(task: SourceTask, seed: int) -> dict[str, SourceWorker]:
    names = [worker.name for worker in task.workers if worker.name is not None]
    if not names:
        ids = worker_ids(len(task.workers), seed, task.original_id)
        return dict(zip(ids, task.workers, strict=True))
    if len(set(names)) != len(task.workers):
        raise InputError(
            f"task {task.original_id!r}, key 'workers'",
            "no worker name, or a different one on every worker",
            f"{len(task.workers)} workers with the names {', '.join(names)}",
            "name all workers or none",
        )
    return dict(zip(names, task.workers, strict=True))


def _public(task_id: str, task: SourceTask, workers: Mapping[str, SourceWorker]) -> PublicTask:
    return PublicTask(
        task_id=task_id,
        question=task.question,
        cards={worker_id: worker.card for worker_id, worker in workers.items()},
        slots={worker_id: worker.slot for worker_id, worker in workers.items()},
    )


def _task_row(task: PublicTask, family: FamilyConfig) -> Row:
    return {
        "task_id": task.task_id,
        "question": task.question,
        "worker_cost": family.worker_cost,
        "budget_cap": budget_cap(family),
    }


def _card_rows(task: PublicTask) -> list[Row]:
    return [
        {"task_id": task.task_id, "worker_id": worker_id, "card": card}
        for worker_id, card in task.cards.items()
    ]


def _family_rows(task: PublicTask, family: FamilyConfig, seed: int) -> list[Row]:
    teams = legal_teams(family, task.slots, f"task {task.task_id!r}")
    return [
        {
            "task_id": task.task_id,
            "team_id": team_id,
            "workers": list(team),
            "n_workers": len(team),
            "cost": team_cost(team, family),
            "canonical_rank": rank,
        }
        for rank, (team_id, team) in enumerate(team_ids(teams, seed, task.task_id).items())
    ]


def _evidence_rows(task_id: str, workers: Mapping[str, SourceWorker]) -> list[Row]:
    return [
        {
            "task_id": task_id,
            "worker_id": worker_id,
            "slot": worker.slot,
            "passages": [
                {"unit_id": p.unit_id, "title": p.title, "sentences": list(p.sentences)}
                for p in worker.passages
            ],
            "component_id": worker.component_id,
        }
        for worker_id, worker in workers.items()
    ]


def _answer_row(task_id: str, task: SourceTask, workers: Mapping[str, SourceWorker]) -> Row:
    return {
        "task_id": task_id,
        "answer": task.answer,
        "aliases": list(task.aliases),
        "required_units": list(task.required_units),
        "required_team": required_team(task, workers),
    }


def required_team(task: SourceTask, workers: Mapping[str, SourceWorker]) -> list[str]:
    """The fewest workers that together hold every required unit; the first by id where several do.

    Raises
    ------
    InputError : a required unit that no worker holds.
    """
    holders = [_holders(unit, workers) for unit in task.required_units]
    for unit, holding in zip(task.required_units, holders, strict=True):
        if not holding:
            raise InputError(
                f"task {task.original_id!r}, key 'required_units'",
                f"a worker that holds unit {unit!r}",
                "none",
                "deal the supporting paragraph to a worker",
            )
    covers = [sorted(set(choice)) for choice in product(*holders)]
    return min(covers, key=lambda cover: (len(cover), cover))


def _holders(unit: str, workers: Mapping[str, SourceWorker]) -> Sequence[str]:
    return [
        worker_id
        for worker_id, worker in workers.items()
        if any(passage.unit_id == unit for passage in worker.passages)
    ]
