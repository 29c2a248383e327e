"""Tables that someone else made: what is read, what is counted, what bad input gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from routeaudit.config.benchmarks import (
    LifeEvalConfig,
    RouteLLMConfig,
    RouterBenchConfig,
    SourceFile,
    TableConfig,
)
from routeaudit.config.family import SubsetFamily
from routeaudit.config.split import SplitConfig
from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.cover.benchmarks.given import given_outcomes
from routeaudit.cover.benchmarks.inventory import missing_cells
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.cover.benchmarks.outcome_tables.lifeeval import coalition_answer
from routeaudit.cover.benchmarks.outcome_tables.routellm import MODELS as PAIR
from routeaudit.cover.benchmarks.outcome_tables.routerbench import MODELS
from routeaudit.cover.benchmarks.outcome_tables.tasks import cell_value
from routeaudit.cover.boundary.publish import publish
from routeaudit.cover.split.assign import split_tasks
from routeaudit.errors import InputError

LONG = (
    "task_id,question,source_id,team,value\nq1,Why?,s1,b+a,0.25\nq1,Why?,s1,a,1\nq2,,,a,\nq2,,,a + b,True\n"
)


def source(path: Path, text: str) -> SourceFile:
    path.write_text(text, encoding="utf-8")
    return SourceFile(file=path.name, data_dir=str(path.parent))


def long_table(tmp_path: Path, text: str = LONG) -> Inventory:
    return load_inventory(TableConfig(source=source(tmp_path / "table.csv", text)))


def outcomes(inventory: Inventory, family: SubsetFamily) -> list[dict[str, Any]]:
    index = split_tasks(inventory, SplitConfig(heldout_fraction=1))
    tables = publish(inventory, index, family, 1)
    table: pa.Table = given_outcomes(inventory, index, tables.family, "outcome", "offline")
    original = dict(zip(index["task_id"].to_pylist(), index["original_id"].to_pylist(), strict=True))
    team = {(r["task_id"], r["team_id"]): "+".join(r["workers"]) for r in tables.family.to_pylist()}
    return [
        row | {"task": original[row["task_id"]], "team": team[row["task_id"], row["team_id"]]}
        for row in table.to_pylist()
    ]


def test_long_table_gives_tasks_sources_and_cells(tmp_path: Path) -> None:
    first, second = long_table(tmp_path).tasks
    assert (first.question, first.source_ids) == ("Why?", ("s1",))
    assert (second.question, second.source_ids) == ("q2", ("q2",))
    assert [(cell.workers, cell.value) for cell in first.cells] == [(("a",), 1.0), (("a", "b"), 0.25)]
    assert [worker.name for worker in first.workers] == ["a", "b"]


def test_every_legal_team_gets_a_row_and_unobserved_cells_are_missing(tmp_path: Path) -> None:
    rows = outcomes(long_table(tmp_path), SubsetFamily(max_size=2))
    found = {(row["task"], row["team"]): (row["value"], row["status"]) for row in rows}
    assert found == {
        ("q1", "a"): (1.0, "ok"),
        ("q1", "b"): (None, "missing"),
        ("q1", "a+b"): (0.25, "ok"),
        ("q2", "a"): (None, "missing"),
        ("q2", "b"): (None, "missing"),
        ("q2", "a+b"): (1.0, "ok"),
    }
    assert {(row["stack"], row["replicate"], row["endpoint"]) for row in rows} == {("offline", 0, "outcome")}


def test_task_without_given_outcomes_is_refused(tmp_path: Path) -> None:
    inventory = long_table(tmp_path)
    index = split_tasks(inventory, SplitConfig(heldout_fraction=1))
    family = publish(inventory, index, SubsetFamily(max_size=1), 1).family
    bare = Inventory(tuple(replace(task, cells=()) for task in inventory.tasks), inventory.total)
    with pytest.raises(InputError, match="outcomes that came with the source"):
        given_outcomes(bare, index, family, "outcome", "offline")


@pytest.mark.parametrize("text", ["1.01", "-0.1", "NaN", "inf", "maybe"])
def test_outcome_outside_the_unit_interval_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as error:
        long_table(tmp_path, f"task_id,team,value\nq1,a,0.5\nq1,b,{text}\n")
    assert error.value.where == f"{tmp_path / 'table.csv'}:3, key 'value'"


@pytest.mark.parametrize(
    ("text", "value"), [("", None), (" ", None), ("True", 1.0), ("false", 0.0), ("0.5", 0.5)]
)
def test_cell_values(text: str, value: float | None) -> None:
    assert cell_value(text, "x") == value


def test_repeated_cell_is_refused_whatever_the_order_of_its_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="each task and team once"):
        long_table(tmp_path, "task_id,team,value\nq1,a+b,0.5\nq1,b+a,0.5\n")


@pytest.mark.parametrize("team", ["", "a+", "a+a"])
def test_team_that_is_no_set_of_names_is_refused(tmp_path: Path, team: str) -> None:
    with pytest.raises(InputError, match="name\\+name"):
        long_table(tmp_path, f"task_id,team,value\nq1,{team},0.5\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("task_id,value\nq1,1\n", "no column team;"), ("task_id,team,value\nq1,a\n", "2 columns: 'q1,a'")],
)
def test_malformed_table_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        long_table(tmp_path, text)


def test_routerbench_keeps_the_fuller_row_of_an_id_and_leaves_the_other_cells_unobserved(
    tmp_path: Path,
) -> None:
    full = ",".join("1.0" for _ in MODELS)
    all_but_one = ",".join("" if model.startswith("gpt-3.5") else "0.0" for model in MODELS)
    only_one = ",".join("1.0" if model.startswith("gpt-3.5") else "" for model in MODELS)
    lines = [
        f"sample_id,eval_name,{','.join(MODELS)}",
        f"x,arc,{full}",
        f"y,arc,{only_one}",
        f"y,arc,{all_but_one}",
    ]
    path = source(tmp_path / "rb.csv", "\n".join(lines) + "\n")
    inventory = load_inventory(RouterBenchConfig(source=path))
    assert (inventory.total, len(inventory.tasks)) == (3, 2)
    assert inventory.dropped == {"second_row_of_an_id": 1}
    assert missing_cells(inventory) == {"y": ["gpt-3.5-turbo-1106"]}
    values = {cell.workers: cell.value for cell in inventory.tasks[1].cells}
    assert values[("claude-v1",)] == 0.0


def test_routellm_links_equal_prompts_over_files(tmp_path: Path) -> None:
    header = f"prompt,{PAIR[1]},{PAIR[0]}\n"
    source(tmp_path / "mmlu_a.csv", header + '"What\nis it?",True,False\nOther?,False,True\n')
    source(tmp_path / "mmlu_b.csv", header + '"What\nis it?",True,True\n')
    config = RouteLLMConfig(source=SourceFile(file="*.csv", data_dir=str(tmp_path)))
    tasks = load_inventory(config).tasks
    assert [task.original_id for task in tasks] == ["mmlu_a:0", "mmlu_a:1", "mmlu_b:0"]
    assert tasks[0].source_ids == tasks[2].source_ids != tasks[1].source_ids
    assert {cell.workers[0]: cell.value for cell in tasks[1].cells} == {PAIR[0]: 1.0, PAIR[1]: 0.0}


def test_pattern_without_a_file_and_changed_files_are_refused(tmp_path: Path) -> None:
    missing = RouteLLMConfig(source=SourceFile(file="*.csv", data_dir=str(tmp_path)))
    with pytest.raises(InputError, match="no such file"):
        load_inventory(missing)
    source(tmp_path / "a.csv", f"prompt,{PAIR[1]},{PAIR[0]}\nQ?,True,False\n")
    pinned = SourceFile(file="*.csv", data_dir=str(tmp_path), sha256="0" * 64)
    with pytest.raises(InputError, match="over the digests of 1 files"):
        load_inventory(RouteLLMConfig(source=pinned))


@pytest.mark.parametrize(
    ("votes", "answer"),
    [
        ([("A", 0.4), ("B", 0.5), ("A", 0.2)], "A"),
        ([("B", 0.5), ("A", 0.5)], "A"),
        ([("C", 0.0), ("B", 0.0)], "B"),
        ([("A", 0.3), ("B", 0.9), ("A", 0.5)], "B"),
    ],
)
def test_coalition_answers_by_weighted_plurality_with_an_alphabetical_tie(
    votes: list[tuple[str, float]], answer: str
) -> None:
    assert coalition_answer(votes) == answer


def test_lifeeval_keeps_questions_that_every_model_answered_with_an_option(tmp_path: Path) -> None:
    rows = [
        "set,m1,0,A,A,0.9,0.1", "set,m2,0,B,A,0.2,0.8", "set,m3,0,A,A,0.6,0.4",
        "set,m1,1,B,B,0.1,0.9", "set,m2,1,,B,,", "set,m3,1,B,B,0.1,0.9",
        "set,m1,2,A,B,,", "set,m2,2,B,B,0.5,0.5", "set,m3,2,B,B,0.5,0.5",
    ]  # fmt: skip
    text = "\n".join(["qset,llm,question_id,answer,gold,p_A,p_B", *rows]) + "\n"
    config = LifeEvalConfig(source=source(tmp_path / "sat.csv", text), team_size=2)
    inventory = load_inventory(config)
    assert (inventory.total, inventory.dropped) == (3, {"not_answered_by_all_models": 2})
    (task,) = inventory.tasks
    assert {cell.workers: cell.value for cell in task.cells} == {
        ("m1", "m2"): 1.0,
        ("m1", "m3"): 1.0,
        ("m2", "m3"): 0.0,
    }
