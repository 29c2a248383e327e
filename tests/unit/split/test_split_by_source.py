"""Tasks that share a source stay on one side, and the report says what the sides still share."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.config.split import SplitConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.cover.split.assign import assign, split_tasks
from routeaudit.cover.split.components import components
from routeaudit.cover.split.disjoint import check_disjoint
from routeaudit.cover.split.leakage import leakage_report, near_duplicates
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import INDEX_TASKS, SPLIT_HELDOUT, SPLIT_TRAIN, SPLIT_UNUSED

SOURCES = st.lists(st.lists(st.sampled_from("abcdefghijkl"), max_size=3), min_size=1, max_size=12)


def task(identity: str, sources: list[str], question: str | None = None) -> SourceTask:
    passage = Passage("p0", "Title", (f"Text of {identity}.",))
    worker = SourceWorker("card", (passage,), slot=0)
    asked = question or f"{identity}?"
    return SourceTask(identity, asked, "answer", (), tuple(sources), ("p0",), (worker,))


def inventory(sources: list[list[str]]) -> Inventory:
    tasks = tuple(task(f"task{number}", listed) for number, listed in enumerate(sources))
    return Inventory(tasks, len(tasks))


def reachable(sources: list[list[str]], start: int) -> set[int]:
    """The tasks linked to one task, by repeated search: the definition, spelled out."""
    found, frontier = {start}, [start]
    while frontier:
        here = frontier.pop()
        for other, listed in enumerate(sources):
            if other not in found and set(listed) & set(sources[here]):
                found.add(other)
                frontier.append(other)
    return found


@settings(deadline=None)
@given(SOURCES)
def test_components_are_the_tasks_that_a_chain_of_sources_reaches(sources: list[list[str]]) -> None:
    labels = components(sources)
    for start, label in enumerate(labels):
        assert {other for other, found in enumerate(labels) if found == label} == reachable(sources, start)


@settings(deadline=None)
@given(SOURCES, st.integers(0, 5), st.sampled_from([0.25, 0.5, 1.0]))
def test_no_source_is_ever_on_both_sides(sources: list[list[str]], seed: int, fraction: float) -> None:
    rows = split_tasks(inventory(sources), SplitConfig(seed=seed, heldout_fraction=fraction)).to_pylist()
    side = {source: row["split"] for row in rows for source in row["source_ids"]}
    assert all(row["split"] == side[source] for row in rows for source in row["source_ids"])
    assert len(rows) == len(sources)


@settings(deadline=None)
@given(SOURCES, st.randoms(use_true_random=False))
def test_split_does_not_depend_on_the_order_of_the_records(sources: list[list[str]], shuffle: object) -> None:
    given_order = inventory(sources)
    tasks = list(given_order.tasks)
    shuffle.shuffle(tasks)  # type: ignore[attr-defined]
    config = SplitConfig(heldout_fraction=0.5)
    assert split_tasks(replace(given_order, tasks=tuple(tasks)), config) == split_tasks(given_order, config)


def test_targets_are_met_exactly_and_the_rest_is_unused() -> None:
    sources = [[f"s{n // 2}"] for n in range(12)] + [[f"x{n}"] for n in range(20)]
    rows = split_tasks(inventory(sources), SplitConfig(n_heldout=11, n_train=9)).to_pylist()
    assert Counter(row["split"] for row in rows) == {SPLIT_HELDOUT: 11, SPLIT_TRAIN: 9, SPLIT_UNUSED: 12}


def test_without_a_training_target_every_task_that_fits_no_side_is_for_training() -> None:
    sources = [[f"s{n // 4}"] for n in range(12)]
    rows = split_tasks(inventory(sources), SplitConfig(n_heldout=6)).to_pylist()
    assert Counter(row["split"] for row in rows) == {SPLIT_HELDOUT: 4, SPLIT_TRAIN: 8}


def test_everything_can_be_held_out() -> None:
    rows = split_tasks(inventory([["a"], ["a"], ["b"]]), SplitConfig(heldout_fraction=1)).to_pylist()
    assert {row["split"] for row in rows} == {SPLIT_HELDOUT}


def test_another_seed_deals_components_to_other_sides() -> None:
    sizes = {f"c{number}": 1 + number % 3 for number in range(30)}
    wanted = {SPLIT_HELDOUT: 30, SPLIT_TRAIN: 30}
    dealt = {tuple(sorted(assign(sizes, wanted, seed).items())) for seed in range(8)}
    assert len(dealt) == 8


def test_large_components_go_to_either_side() -> None:
    sizes = {"large": 5} | {f"c{number}": 1 for number in range(15)}
    wanted = {SPLIT_HELDOUT: 10, SPLIT_TRAIN: 10}
    sides = Counter(assign(sizes, wanted, seed)["large"] for seed in range(60))
    assert min(sides[SPLIT_HELDOUT], sides[SPLIT_TRAIN]) >= 15


@pytest.mark.parametrize("wanted", [{"n_heldout": 5}, {"n_heldout": 3, "n_train": 2}])
def test_more_tasks_than_there_are_is_refused(wanted: dict[str, int]) -> None:
    with pytest.raises(InputError, match="4 tasks"):
        split_tasks(inventory([["a"], ["b"], ["c"], ["d"]]), SplitConfig.model_validate(wanted))


def test_duplicate_task_id_is_refused() -> None:
    twice = Inventory((task("same", ["a"]), task("same", ["b"])), 2)
    with pytest.raises(InputError, match="each task id once"):
        split_tasks(twice, SplitConfig())


def test_planted_shared_source_between_splits_is_refused_with_its_pairs() -> None:
    index = split_tasks(inventory([["a"], ["b"], ["c"], ["d"]]), SplitConfig(n_heldout=2))
    rows = index.to_pylist()
    left = next(row for row in rows if row["split"] == SPLIT_TRAIN)
    right = next(row for row in rows if row["split"] == SPLIT_HELDOUT)
    right["source_ids"] = [*right["source_ids"], left["source_ids"][0]]
    with pytest.raises(InputError) as error:
        check_disjoint(INDEX_TASKS.from_rows(rows))
    assert f"{left['task_id']} and {right['task_id']} through" in error.value.found


def test_source_shared_with_an_unused_task_only_is_no_leak() -> None:
    index = split_tasks(inventory([["a"], ["b"], ["c"]]), SplitConfig(n_heldout=1, n_train=1))
    rows = index.to_pylist()
    unused = next(row for row in rows if row["split"] == SPLIT_UNUSED)
    unused["source_ids"] = [source for row in rows for source in row["source_ids"]]
    check_disjoint(INDEX_TASKS.from_rows(rows))


def test_near_duplicates_find_a_reworded_question_and_no_other() -> None:
    left = {"t1": "Where was the director of the film The Zone born?", "t2": "Who wrote Hamlet?"}
    right = {"t3": "Where was the director of film The Zone born?", "t4": "How tall is Mount Ararat?"}
    assert list(near_duplicates(left, right, 0.8)) == [("t1", "t3")]
    assert near_duplicates(left, {}, 0.8) == {}


def test_leakage_report_counts_components_and_repeated_questions() -> None:
    tasks = (
        task("a", ["s1"], "Where is Quillport?"),
        task("b", ["s2"], "where is quillport"),
        task("c", ["s3"], "Where is Quillport?"),
        task("d", ["s4", "s5"], "Who owns the mill?"),
        task("e", ["s5"], "When did it burn?"),
    )
    whole = Inventory(tasks, 7, {"type_comparison": 2})
    config = SplitConfig(n_heldout=2, n_train=3, seed=3)
    rows = split_tasks(whole, config).to_pylist()
    for row in rows:
        row["split"] = SPLIT_HELDOUT if row["original_id"] in ("b", "c") else SPLIT_TRAIN
    report = leakage_report(whole, INDEX_TASKS.from_rows(rows), config)
    assert report["records"] == {"total": 7, "kept": 5, "dropped": {"type_comparison": 2}}
    assert report["tasks"] == {"total": 5, "train": 3, "heldout": 2}
    assert report["components"]["tasks_per_component"] == {"1": 3, "2": 1}
    assert report["components"]["by_split"] == {"train": 2, "heldout": 2, "unused": 0}
    ids = {row["original_id"]: row["task_id"] for row in rows}
    assert report["questions"]["exact"] == [[ids["a"], ids["c"]]]
    assert sorted(report["questions"]["normalised"]) == sorted([[ids["a"], ids["c"]], [ids["a"], ids["b"]]])
    assert report["passages"] == {"required_on_both_sides": 0, "held_on_both_sides": 0}


def test_leakage_report_counts_passages_on_both_sides() -> None:
    whole = Inventory((task("a", ["s1"]), replace(task("a", ["s2"]), original_id="b")), 2)
    config = SplitConfig(n_heldout=1)
    report = leakage_report(whole, split_tasks(whole, config), config)
    assert report["passages"] == {"required_on_both_sides": 1, "held_on_both_sides": 1}
