"""Two tasks over the same workers' passages, as tables."""

from __future__ import annotations

import pyarrow as pa

from routeaudit.tables.artifacts import PLAN, PRIVATE_EVIDENCE, PUBLIC_TASKS

PASSAGES = {
    "w1": ("Night Ferry", ("Night Ferry is a novel.", "Its author is Jon Hale.")),
    "w2": ("Jon Hale", ("Jon Hale was born in Castelby.", "Jon Hale is a painter.")),
    "w3": ("Night Train", ("Night Train is a novel.", "Its author is Pia Holm.")),
}
QUESTIONS = {"t1": "Where was the author of Night Ferry born?", "t2": "What is the author's trade?"}


def tasks() -> pa.Table:
    return PUBLIC_TASKS.from_rows(
        [
            {"task_id": task, "question": question, "worker_cost": 1.0, "budget_cap": 2.0}
            for task, question in QUESTIONS.items()
        ]
    )


def evidence(extra: tuple[str, ...] = ()) -> pa.Table:
    """Every worker's passage in both tasks; workers in `extra` hold the passage of w1 too."""
    return PRIVATE_EVIDENCE.from_rows(
        [
            {
                "task_id": task,
                "worker_id": worker,
                "slot": int(worker == "w2"),
                "passages": [_passage(held) for held in (worker, *(["w1"] if worker in extra else []))],
                "component_id": "gold",
            }
            for task in QUESTIONS
            for worker in PASSAGES
        ]
    )


def _passage(worker: str) -> dict[str, object]:
    title, sentences = PASSAGES[worker]
    return {"unit_id": f"u-{worker}", "title": title, "sentences": list(sentences)}


def plan(teams: dict[str, list[str]], tasks_planned: tuple[str, ...] = ("t1", "t2")) -> pa.Table:
    return PLAN.from_rows(
        [
            {"task_id": task, "team_id": team, "workers": workers, "reason": "complete"}
            for task in tasks_planned
            for team, workers in teams.items()
        ]
    )
