"""A small invented study on disk: public tables, outcomes and private tables with canaries."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from routeaudit.cover.freeze import Assignment, PublicTables, TrainingTables
from routeaudit.tables import write_table
from routeaudit.tables.artifacts import FAMILY, OUTCOMES, PRIVATE_EVIDENCE, PUBLIC_CARDS, PUBLIC_TASKS

CANARY = "CANARY-7f3a"
FIRSTS, SECONDS = 4, 3
Rows = dict[str, list[dict[str, object]]]
THEMES = ("weaver", "painter", "sailor", "baker", "miner", "judge", "singer", "surgeon")
PLACES = ("harbour", "fortress", "village", "market", "colony", "citadel", "seaport", "spa")


@dataclass(frozen=True)
class InventedStudy:
    """Where the tables lie; tasks are t000 to t(n-1), the first half trains."""

    folder: Path
    n_tasks: int

    @property
    def public(self) -> PublicTables:
        return PublicTables(*(self.folder / f"{name}.parquet" for name in ("tasks", "cards", "family")))

    @property
    def training(self) -> TrainingTables:
        return TrainingTables(
            self.folder / "outcomes.parquet", "evidence_complete", None, self.folder / "evidence.parquet"
        )

    @property
    def assignment(self) -> Assignment:
        tasks = tuple(f"t{number:03d}" for number in range(self.n_tasks))
        half = self.n_tasks // 2
        return Assignment.heldout(tasks[:half], tasks[half:], {task: task for task in tasks})


def invent(folder: Path, n_tasks: int = 40, seed: int = 0) -> InventedStudy:
    """Write a study in which question and cards share a theme (first hop) and a place (second hop)."""
    rng = np.random.default_rng(seed)
    rows: Rows = {name: [] for name in ("tasks", "cards", "family", "out", "ev")}
    for number in range(n_tasks):
        _invent_task(f"t{number:03d}", rng, rows)
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "tasks.parquet", PUBLIC_TASKS.from_rows(rows["tasks"]), PUBLIC_TASKS)
    write_table(folder / "cards.parquet", PUBLIC_CARDS.from_rows(rows["cards"]), PUBLIC_CARDS)
    write_table(folder / "family.parquet", FAMILY.from_rows(rows["family"]), FAMILY)
    write_table(folder / "outcomes.parquet", OUTCOMES.from_rows(rows["out"]), OUTCOMES)
    write_table(folder / "evidence.parquet", PRIVATE_EVIDENCE.from_rows(rows["ev"]), PRIVATE_EVIDENCE)
    return InventedStudy(folder, n_tasks)


def _invent_task(task_id: str, rng: np.random.Generator, rows: Rows) -> None:
    themes = rng.choice(THEMES, FIRSTS, replace=False)
    places = rng.choice(PLACES, SECONDS, replace=False)
    names = [f"w{n}" for n in rng.permutation(FIRSTS + SECONDS)]
    firsts, seconds = names[:FIRSTS], names[FIRSTS:]
    question = f"Who wrote about the {themes[0]} born in the {places[0]}?"
    rows["tasks"].append({"task_id": task_id, "question": question, "worker_cost": 1.0, "budget_cap": 2.0})
    for name, word, kind in [
        *zip(firsts, themes, ["people"] * FIRSTS, strict=True),
        *zip(seconds, places, ["places"] * SECONDS, strict=True),
    ]:
        gold = name in (firsts[0], seconds[0])
        card = f"Keeps notes on {kind}: {word}."
        rows["cards"].append({"task_id": task_id, "worker_id": name, "card": card})
        rows["ev"].append(_evidence(task_id, name, int(name in seconds), "gold" if gold else None))
    _invent_teams(task_id, list(product(firsts, seconds)), rng, rows)


def _evidence(task_id: str, worker: str, slot: int, component: str | None) -> dict[str, object]:
    passage = {"unit_id": worker, "title": CANARY, "sentences": [CANARY]}
    return {
        "task_id": task_id,
        "worker_id": worker,
        "slot": slot,
        "passages": [passage],
        "component_id": component,
    }


def _invent_teams(
    task_id: str,
    pairs: list[tuple[str, str]],
    rng: np.random.Generator,
    rows: Rows,
) -> None:
    places = rng.permutation(len(pairs))
    for place, pair in zip(places, pairs, strict=True):
        team_id = f"g{place + 1:02d}"
        rows["family"].append(
            {
                "task_id": task_id,
                "team_id": team_id,
                "workers": sorted(pair),
                "n_workers": 2,
                "cost": 2.0,
                "canonical_rank": int(place),
            }
        )
        rows["out"].append(
            {
                "endpoint": "evidence_complete",
                "stack": "offline",
                "replicate": 0,
                "task_id": task_id,
                "team_id": team_id,
                "value": float(pair == pairs[0]),
                "status": "ok",
            }
        )
