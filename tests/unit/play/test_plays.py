"""From planned cells to plays and outcomes: shared plays, shards, differing requests, denominators."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from routeaudit.config.played import ScriptedRole
from routeaudit.cover.grading.played import grade_played
from routeaudit.cover.play.actors import open_actor
from routeaudit.cover.play.plays import plays_of_cells, plays_table, run_plays, shard_of_plays
from routeaudit.cover.stack.keys import CellKey
from routeaudit.errors import InputError
from routeaudit.execution.progress import Silent
from routeaudit.tables.artifacts import INDEX_TASKS, PLAN, PLAYS, PUBLIC_TASKS, STATUS_INVALID
from unit.play.worlds import FakeWorld

NAMES = {"t1": "wifi", "t2": "mail", "t3": "impossible"}
TEAMS = {
    "with": ["contacts", "device_settings", "messaging"],
    "more": ["contacts", "device_settings", "messaging", "reminders"],
    "none": ["reminders", "search_and_utilities"],
}
ENDPOINT = ["safe_evidence_completion"]


def plan() -> pa.Table:
    return PLAN.from_rows(
        [
            {"task_id": task, "team_id": team, "workers": workers, "reason": "complete"}
            for task in NAMES
            for team, workers in TEAMS.items()
        ]
    )


def index() -> pa.Table:
    shared = {"source_ids": [], "cluster_id": "c", "split": "train", "tier": None}
    return INDEX_TASKS.from_rows([{"task_id": t, "original_id": n} | shared for t, n in NAMES.items()])


def tasks(**asked: str) -> pa.Table:
    questions = {task: f"Please do {name}" for task, name in NAMES.items()} | asked
    return PUBLIC_TASKS.from_rows(
        [{"task_id": t, "question": q, "worker_cost": 1.0, "budget_cap": 5.0} for t, q in questions.items()]
    )


def played(folder: Path, shard: int = 1, n: int = 1, public: pa.Table | None = None) -> pa.Table:
    world = FakeWorld()
    with open_actor(ScriptedRole(kind="scripted"), world, folder, "plays") as actor:
        cells = plays_of_cells(plan(), index(), public or tasks(), world, actor, 1)
        done = run_plays(shard_of_plays(cells.values(), shard, n), world, actor, Silent())
    return plays_table(cells, done, "s")


def test_teams_whose_tools_make_no_difference_share_a_play(tmp_path: Path) -> None:
    plays = {(row["task_id"], row["team_id"]): row["play"] for row in played(tmp_path).to_pylist()}
    for task in NAMES:
        assert plays[task, "with"] == plays[task, "more"] != plays[task, "none"]
    assert len(set(plays.values())) == 6


def test_every_cell_has_the_similarity_of_its_own_team(tmp_path: Path) -> None:
    found = {(row["task_id"], row["team_id"]): row["similarity"] for row in played(tmp_path).to_pylist()}
    assert [found["t1", team] for team in TEAMS] == [1.0, 1.0, 0.0]
    assert [found["t3", team] for team in TEAMS] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("n", [2, 5, 9])
def test_shards_together_are_the_whole(tmp_path: Path, n: int) -> None:
    parts = pa.concat_tables([played(tmp_path, shard, n) for shard in range(1, n + 1)])
    assert PLAYS.conform(parts, "parts") == played(tmp_path)


def test_a_task_that_asks_something_else_than_the_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'mail'") as error:
        played(tmp_path, public=tasks(t2="Please do something else"))
    assert "Please do mail" in error.value.found


def test_outcomes_are_the_evaluators_and_denominators_close(tmp_path: Path) -> None:
    plays = played(tmp_path).to_pylist()
    lost = plays.pop(0)
    plays[0] |= {"status": STATUS_INVALID, "similarity": None, "milestones": None, "minefields": None}
    outcomes = grade_played(plan(), PLAYS.from_rows(plays), ENDPOINT, "s", 1).to_pylist()
    by_cell = {CellKey(row["task_id"], row["team_id"], 0): (row["value"], row["status"]) for row in outcomes}
    assert len(by_cell) == 9
    assert by_cell[CellKey(lost["task_id"], lost["team_id"], 0)] == (None, "missing")
    assert by_cell[CellKey(plays[0]["task_id"], plays[0]["team_id"], 0)] == (0.0, "invalid_run")
    for row in plays[1:]:
        assert by_cell[CellKey(row["task_id"], row["team_id"], 0)] == (row["similarity"], "ok")


def test_other_endpoints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="alone"):
        grade_played(plan(), played(tmp_path), ["answer_exact"], "s", 1)
