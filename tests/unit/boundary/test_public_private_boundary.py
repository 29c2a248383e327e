"""What is public says nothing about what is private."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from routeaudit.config.family import ProductFamily, SubsetFamily
from routeaudit.config.split import SplitConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.cover.boundary.canary import canary, check_absent, planted
from routeaudit.cover.boundary.publish import Published, publish
from routeaudit.cover.split.assign import split_tasks
from routeaudit.errors import InputError
from routeaudit.tables import write_json, write_table
from routeaudit.tables.artifacts import (
    FAMILY,
    INDEX_TASKS,
    PRIVATE_EVIDENCE,
    PUBLIC_CARDS,
    PUBLIC_TASKS,
    SPLIT_UNUSED,
)

PUBLIC = ("tasks", "cards", "family")
HELD_OUT = SplitConfig(heldout_fraction=1)
FAMILY_4X3 = ProductFamily(slots=(4, 3))


def two_hop(identity: str) -> SourceTask:
    """Four by three workers; the gold ones come first in their slot, as in a careless adapter."""
    workers = tuple(
        SourceWorker(
            card=f"card {place} of {identity}",
            passages=(Passage(f"p{place}", f"Title {place}", (f"Sentence {place} of {identity}.",)),),
            slot=int(place >= 4),
            component_id="gold" if place in (0, 4) else f"p{place}",
        )
        for place in range(7)
    )
    return SourceTask(identity, f"Question {identity}?", "Gold", ("Au",), (identity,), ("p0", "p4"), workers)


def inventory(n_tasks: int) -> Inventory:
    tasks = tuple(two_hop(f"source-{number}") for number in range(n_tasks))
    return Inventory(tasks, n_tasks)


def published(
    whole: Inventory, seed: int = 1, family: ProductFamily | SubsetFamily = FAMILY_4X3
) -> Published:
    index = split_tasks(whole, HELD_OUT.model_copy(update={"seed": seed}))
    return publish(whole, index, family, seed)


def public_tables(tables: Published) -> dict[str, list[dict[str, object]]]:
    return {name: getattr(tables, name).to_pylist() for name in PUBLIC}


def test_public_tables_have_the_named_columns_and_no_other() -> None:
    tables = published(inventory(3))
    assert tables.tasks.column_names == ["task_id", "question", "worker_cost", "budget_cap"]
    assert tables.cards.column_names == ["task_id", "worker_id", "card"]
    assert tables.family.column_names == [
        "task_id",
        "team_id",
        "workers",
        "n_workers",
        "cost",
        "canonical_rank",
    ]


def test_questions_and_cards_are_published_as_they_are() -> None:
    whole = inventory(5)
    tables = published(whole)
    assert sorted(tables.tasks["question"].to_pylist()) == sorted(task.question for task in whole.tasks)
    cards = [worker.card for task in whole.tasks for worker in task.workers]
    assert sorted(tables.cards["card"].to_pylist()) == sorted(cards)


def test_budget_is_part_of_the_public_task() -> None:
    tables = published(inventory(1), family=ProductFamily(slots=(4, 3), worker_cost=0.5, budget_cap=1.5))
    (row,) = tables.tasks.to_pylist()
    assert (row["worker_cost"], row["budget_cap"]) == (0.5, 1.5)
    assert set(tables.family["cost"].to_pylist()) == {1.0}


def test_every_team_holds_one_worker_of_each_slot() -> None:
    tables = published(inventory(4))
    slot = {(r["task_id"], r["worker_id"]): r["slot"] for r in tables.evidence.to_pylist()}
    for row in tables.family.to_pylist():
        assert sorted(slot[row["task_id"], worker] for worker in row["workers"]) == [0, 1]


def test_workers_keep_their_cards_and_passages_together_under_their_new_ids() -> None:
    tables = published(inventory(5))
    cards = {(r["task_id"], r["worker_id"]): r["card"] for r in tables.cards.to_pylist()}
    for row in tables.evidence.to_pylist():
        (passage,) = row["passages"]
        place = passage["unit_id"].removeprefix("p")
        assert cards[row["task_id"], row["worker_id"]].startswith(f"card {place} of")


def test_required_team_holds_the_required_units() -> None:
    tables = published(inventory(5))
    held = {
        (r["task_id"], r["worker_id"]): {p["unit_id"] for p in r["passages"]}
        for r in tables.evidence.to_pylist()
    }
    for row in tables.answers.to_pylist():
        units = set().union(*(held[row["task_id"], worker] for worker in row["required_team"]))
        assert units == set(row["required_units"]) == {"p0", "p4"}


def test_required_team_is_the_smallest_that_covers() -> None:
    task = two_hop("x")
    both = replace(task.workers[5], passages=(*task.workers[0].passages, *task.workers[4].passages))
    rich = replace(task, workers=(*task.workers[:5], both, task.workers[6]))
    tables = published(Inventory((rich,), 1))
    (answer,) = tables.answers.to_pylist()
    assert len(answer["required_team"]) == 1


def test_required_unit_that_no_worker_holds_is_refused() -> None:
    task = replace(two_hop("x"), required_units=("p0", "p99"))
    with pytest.raises(InputError, match="holds unit 'p99'"):
        published(Inventory((task,), 1))


def test_unused_tasks_are_not_published() -> None:
    whole = inventory(6)
    rows = split_tasks(whole, HELD_OUT).to_pylist()
    rows[2]["split"] = SPLIT_UNUSED
    tables = publish(whole, INDEX_TASKS.from_rows(rows), FAMILY_4X3, 1)
    left = {row["task_id"] for row in rows} - {rows[2]["task_id"]}
    assert all(set(getattr(tables, name)["task_id"].to_pylist()) == left for name in (*PUBLIC, "evidence"))


def gold_places(tables: Published) -> dict[str, list[object]]:
    """Where the gold team's id, its rank and the gold workers' ids fall, over all tasks."""
    team_of = {row["task_id"]: tuple(row["required_team"]) for row in tables.answers.to_pylist()}
    gold = [r for r in tables.family.to_pylist() if tuple(r["workers"]) == team_of[r["task_id"]]]
    slot = {(r["task_id"], r["worker_id"]): r["slot"] for r in tables.evidence.to_pylist()}
    holders = [(task, worker) for task, team in team_of.items() for worker in team]
    return {
        "team id": [row["team_id"] for row in gold],
        "rank": [row["canonical_rank"] for row in gold],
        "first-hop worker": [worker for task, worker in holders if slot[task, worker] == 0],
        "second-hop worker": [worker for task, worker in holders if slot[task, worker] == 1],
    }


def test_ids_order_and_rank_carry_no_information_about_the_gold_team() -> None:
    found: dict[str, Counter[object]] = {}
    for seed in range(6):
        for name, values in gold_places(published(inventory(200), seed)).items():
            found.setdefault(name, Counter()).update(values)
    sizes = {"team id": 12, "rank": 12, "first-hop worker": 7, "second-hop worker": 7}
    for name, counts in found.items():
        assert len(counts) == sizes[name]
        assert chisquare(list(counts.values())).pvalue > 1e-4, (name, counts)


def test_task_ids_do_not_follow_the_order_of_the_records() -> None:
    whole = inventory(200)
    originals = [row["original_id"] for row in split_tasks(whole, HELD_OUT).to_pylist()]
    rising = sum(int(a.split("-")[1]) < int(b.split("-")[1]) for a, b in pairwise(originals))
    # Of 199 steps in a random order half rise; the variance is (n + 1) / 12.
    assert 78 <= rising <= 121


def test_another_seed_gives_other_ids() -> None:
    family = {str(published(inventory(1), seed).family.to_pylist()) for seed in range(5)}
    assert len(family) == 5


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_permuting_private_fields_leaves_the_public_tables_identical(shuffle: object) -> None:
    whole = inventory(4)
    permuted = Inventory(tuple(_permuted(task, shuffle) for task in whole.tasks), whole.total)
    assert permuted != whole
    assert public_tables(published(permuted)) == public_tables(published(whole))


def _permuted(task: SourceTask, shuffle: object) -> SourceTask:
    """The task with its passages, components, answer and required units dealt anew among its workers."""
    private = [(worker.passages, worker.component_id) for worker in task.workers]
    shuffle.shuffle(private)  # type: ignore[attr-defined]
    workers = tuple(
        replace(worker, passages=passages, component_id=component)
        for worker, (passages, component) in zip(task.workers, private, strict=True)
    )
    return replace(task, workers=workers, answer="Other", aliases=(), required_units=("p1", "p5"), tier="z")


def test_canaries_in_private_fields_reach_no_public_artifact(tmp_path: Path) -> None:
    tables = published(planted(inventory(5), "salt"))
    paths = [tmp_path / f"{name}.parquet" for name in PUBLIC]
    for path, schema in zip(paths, (PUBLIC_TASKS, PUBLIC_CARDS, FAMILY), strict=True):
        write_table(path, getattr(tables, path.stem), schema)
    check_absent("salt", paths)


def test_canary_in_a_private_artifact_is_found_so_the_check_can_fail(tmp_path: Path) -> None:
    tables = published(planted(inventory(2), "salt"))
    path = tmp_path / "evidence.parquet"
    write_table(path, tables.evidence, PRIVATE_EVIDENCE)
    with pytest.raises(InputError) as error:
        check_absent("salt", [path])
    assert "passages" in error.value.where
    write_json(tmp_path / "routes.json", {"note": f"x {canary('salt')}"})
    with pytest.raises(InputError, match=r"routes\.json"):
        check_absent("salt", [tmp_path / "routes.json"])


def test_canaries_are_planted_in_every_private_field_and_in_no_public_one() -> None:
    task = replace(two_hop("x"), tier="2hop")
    (marked,) = planted(Inventory((task,), 1), "salt").tasks
    word = canary("salt")
    private = (marked.original_id, marked.answer, *marked.aliases, *marked.source_ids, *marked.required_units)
    assert all(word in text for text in (*private, marked.tier or ""))
    for worker in marked.workers:
        (passage,) = worker.passages
        assert all(word in t for t in (passage.unit_id, passage.title, *passage.sentences))
        assert word in (worker.component_id or "")
        assert word not in worker.card
    assert word not in marked.question


def tool_task(names: list[str | None]) -> Inventory:
    workers = tuple(
        SourceWorker(f"card {n}", (Passage(f"u{n}", "", ("x",)),), slot=0, name=name)
        for n, name in enumerate(names)
    )
    return Inventory((SourceTask("s", "Q?", "", (), ("s",), ("u0",), workers),), 1)


def test_persistent_workers_keep_their_names() -> None:
    names: list[str | None] = ["contacts", "messaging", "search"]
    tables = published(tool_task(names), family=SubsetFamily(max_size=2))
    assert tables.cards["worker_id"].to_pylist() == names
    assert {worker for team in tables.family["workers"].to_pylist() for worker in team} == set(names)


def test_rank_of_a_team_of_persistent_workers_differs_from_task_to_task() -> None:
    (one,) = tool_task(["a", "b", "c"]).tasks
    tasks = tuple(replace(one, original_id=f"s{number}", source_ids=()) for number in range(240))
    tables = published(Inventory(tasks, len(tasks)), family=SubsetFamily(max_size=2))
    ranks = Counter(r["canonical_rank"] for r in tables.family.to_pylist() if r["workers"] == ["a", "b"])
    assert len(ranks) == 6
    assert chisquare(list(ranks.values())).pvalue > 1e-4


@pytest.mark.parametrize("names", [["a", None, "b"], ["a", "a", "b"]])
def test_partly_named_or_equally_named_workers_are_refused(names: list[str | None]) -> None:
    with pytest.raises(InputError, match="worker name"):
        published(tool_task(names), family=SubsetFamily(max_size=2))


def test_index_of_another_inventory_is_refused() -> None:
    index = split_tasks(inventory(3), HELD_OUT)
    with pytest.raises(InputError, match="a task of the inventory"):
        publish(inventory(2), index, FAMILY_4X3, 1)


def test_publishing_is_deterministic() -> None:
    first, second = published(inventory(4)), published(inventory(4))
    for name in (*PUBLIC, "evidence", "answers"):
        table: pa.Table = getattr(first, name)
        assert json.dumps(table.to_pylist()) == json.dumps(getattr(second, name).to_pylist())
