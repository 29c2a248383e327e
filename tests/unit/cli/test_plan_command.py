"""routeaudit plan: the requests that a run will send, the naive count beside them, and what is finished."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from routeaudit.cli.main import main
from routeaudit.cli.plan import PlanRow, plan_rows
from routeaudit.config.models import ScriptedModel
from routeaudit.config.stack import FinalizerConfig, StackConfig, WorkerConfig
from routeaudit.cover.coverage.planning import complete_plan, of_tasks
from routeaudit.cover.stack import finalizer_requests, messages_table, worker_requests
from routeaudit.execution import Journal, execute
from routeaudit.execution.backends import open_backend
from routeaudit.tables import read_table, write_json, write_table
from routeaudit.tables.artifacts import (
    FAMILY,
    FROZEN_ROUTES,
    INDEX_TASKS,
    PRIVATE_EVIDENCE,
    PUBLIC_TASKS,
)

MODEL = ScriptedModel(backend="scripted")
STACK = StackConfig(worker=WorkerConfig(model=MODEL), finalizer=FinalizerConfig(model=MODEL))
WORKERS = ("w1", "w2", "w3", "w4", "w5")
TEAMS = {
    f"g{rank:02}": team for rank, team in enumerate(c for n in (3, 4, 5) for c in combinations(WORKERS, n))
}
TASKS = {"t1": "train", "t2": "heldout", "t3": "heldout"}


def defaults(schema: object, **values: object) -> dict[str, object]:
    """A row with every column of `schema`: null, empty or zero where not given."""
    fill = {"string": "", "double": 1.0, "int64": 0}
    fields = schema.fields  # type: ignore[attr-defined]
    empty = {f.name: None if f.nullable else fill.get(str(f.type), []) for f in fields}
    return {**empty, **values}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A published study: a training and two held-out tasks, five workers, sixteen teams, one fact each."""
    folder = tmp_path / "study"
    write_json(
        folder / "contract.json",
        {
            "sections": {
                "stacks": {"one": STACK.model_dump(mode="json")},
                "coverage": {"regime": "complete", "sampled_teams": 2},
            }
        },
    )
    index = [
        defaults(INDEX_TASKS, task_id=task, split=split, cluster_id=task) for task, split in TASKS.items()
    ]
    public = [defaults(PUBLIC_TASKS, task_id=task, question=f"Where is {task}?") for task in TASKS]
    family = [
        defaults(
            FAMILY,
            task_id=task,
            team_id=team,
            workers=list(workers),
            n_workers=len(workers),
            canonical_rank=rank,
        )
        for task in TASKS
        for rank, (team, workers) in enumerate(TEAMS.items())
    ]
    evidence = [
        defaults(
            PRIVATE_EVIDENCE,
            task_id=task,
            worker_id=worker,
            passages=[
                {"unit_id": worker, "title": "Arlen", "sentences": [f"The place of {task} is {worker}."]}
            ],
        )
        for task in TASKS
        for worker in WORKERS
    ]
    for name, schema, rows in (
        ("index/tasks", INDEX_TASKS, index),
        ("public/tasks", PUBLIC_TASKS, public),
        ("family", FAMILY, family),
        ("private/evidence", PRIVATE_EVIDENCE, evidence),
    ):
        write_table(folder / f"{name}.parquet", schema.from_rows(rows), schema)
    return folder


def rows_by_name(study: Path, journal: Path) -> dict[tuple[str, str], PlanRow]:
    return {(row.phase, row.regime): row for row in plan_rows(study, journal, 100.0, 1)}


def test_five_workers_and_sixteen_teams_are_planned_at_a_third_of_the_naive_count(
    study: Path, tmp_path: Path
) -> None:
    rows = rows_by_name(study, tmp_path / "journal")
    assert set(rows) == {("train", "complete"), ("heldout", "complete")}
    counts = rows["heldout", "complete"].counts
    assert (counts.cells, counts.distinct, counts.naive) == (32, 2 * (5 + 16), 2 * (10 * 4 + 5 * 5 + 6))
    assert counts.saving > 3
    assert [forecast.distinct for forecast in rows["heldout", "complete"].forecasts] == [10, 32]


def test_frozen_routes_add_the_regimes_that_need_them(study: Path, tmp_path: Path) -> None:
    routes = [
        defaults(FROZEN_ROUTES, policy=policy, task_id=task, team_id=team)
        for policy, team in (("one", "g00"), ("two", "g01"))
        for task in ("t2", "t3")
    ]
    write_table(study / "routes.parquet", FROZEN_ROUTES.from_rows(routes), FROZEN_ROUTES)
    rows = rows_by_name(study, tmp_path / "journal")
    union = rows["heldout", "route_union"].counts
    assert (union.cells, union.worker_requests) == (4, 2 * 4)  # g00 and g01 share two of their three workers
    assert rows["heldout", "sampled"].counts.cells >= 4


@pytest.mark.concurrent
def test_what_the_journal_has_is_counted_finished_and_costs_nothing(study: Path, tmp_path: Path) -> None:
    journal_folder = tmp_path / "journal"
    tasks = read_table(study / "public" / "tasks.parquet", PUBLIC_TASKS)
    evidence = read_table(study / "private" / "evidence.parquet", PRIVATE_EVIDENCE)
    plan = complete_plan(of_tasks(read_table(study / "family.parquet", FAMILY), {"t1"}))
    before = rows_by_name(study, journal_folder)["train", "complete"]
    with open_backend(MODEL, journal_folder) as backend, Journal.open(journal_folder, "one") as journal:
        asked = worker_requests(plan, tasks, evidence, STACK)
        said = execute(asked.values(), backend, journal).completions
        half = rows_by_name(study, journal_folder)["train", "complete"]
        messages = messages_table(asked, said, backend.identity, evidence, "one")
        execute(finalizer_requests(plan, tasks, messages, STACK).values(), backend, journal)
    after = rows_by_name(study, journal_folder)["train", "complete"]
    assert [f.finished for row in (before, half, after) for f in row.forecasts] == [0, 0, 5, 0, 5, 16]
    assert before.forecasts[0].load.total > half.forecasts[0].load.total == 0
    assert after.forecasts[1].load.total == 0


def test_the_table_is_printed_and_a_folder_that_is_no_study_is_told(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(study), "--journal", str(tmp_path / "journal")]) == 0
    header, train, heldout = capsys.readouterr().out.splitlines()
    assert header.split()[:3] == ["phase", "stack", "regime"]
    assert train.split()[:6] == ["train", "one", "complete", "16", "21", "71"]
    assert heldout.split()[6] == "3.38x"
    assert main(["plan", str(tmp_path)]) == 1
    assert "contract.json" in capsys.readouterr().err
