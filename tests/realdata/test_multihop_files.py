"""The multi-hop adapters on their originals' files: counts, components, and what ids give away."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

from places import real_data
from routeaudit.config.benchmarks import (
    HotpotQAConfig,
    MultihopConfig,
    MuSiQueConfig,
    SourceFile,
    WikiMultihopConfig,
)
from routeaudit.config.family import ProductFamily
from routeaudit.config.split import SplitConfig
from routeaudit.cover.benchmarks.base import Inventory, SourceTask, SourceWorker
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.cover.boundary.publish import Published, publish
from routeaudit.cover.freeze import crossfit_assignment
from routeaudit.cover.routers import Corpus, TaskView, Team, Training, View
from routeaudit.cover.routers.shortcuts import ShortcutRouter
from routeaudit.cover.split.assign import split_tasks
from routeaudit.cover.split.leakage import leakage_report

pytestmark = pytest.mark.realdata

Multi = HotpotQAConfig | MuSiQueConfig | WikiMultihopConfig


@pytest.fixture(scope="session")
def multihop_dir() -> Path:
    return real_data("multihop_migres")


def load(kind: type[Multi], folder: Path, **settings: Any) -> tuple[Multi, Inventory]:
    source: SourceFile = kind().source.model_copy(update={"data_dir": str(folder)})
    config = kind(source=source, **settings)
    return config, load_inventory(config)


def publish_all(config: MultihopConfig, inventory: Inventory) -> Published:
    split = SplitConfig(heldout_fraction=1)
    return publish(inventory, split_tasks(inventory, split), ProductFamily(slots=config.slots), split.seed)


@pytest.mark.parametrize(
    ("kind", "kept", "dropped"),
    [
        (HotpotQAConfig, 108, {"hop_order_undecided": 26, "type_comparison": 66}),
        (MuSiQueConfig, 145, {"hops_3": 32, "hops_4": 23}),
        (
            WikiMultihopConfig,
            65,
            {"hop_order_undecided": 2, "no_context": 4, "type_bridge_comparison": 56, "type_comparison": 73},
        ),
    ],
)
def test_tasks_kept_and_dropped_add_up_to_the_200_records(
    multihop_dir: Path, kind: type[Multi], kept: int, dropped: dict[str, int]
) -> None:
    _, inventory = load(kind, multihop_dir)
    assert len(inventory.tasks) == kept
    assert inventory.dropped == dropped
    assert inventory.total == kept + sum(dropped.values()) == 200


def test_strict_hop_rule_counts_more_hotpot_questions_out(multihop_dir: Path) -> None:
    _, inventory = load(HotpotQAConfig, multihop_dir, hop_rule="title_verbatim")
    assert len(inventory.tasks) == 88
    assert inventory.dropped["hop_order_undecided"] == 46


def test_musique_has_96_components_and_241_single_hop_sources(multihop_dir: Path) -> None:
    _, inventory = load(MuSiQueConfig, multihop_dir)
    config = SplitConfig(n_heldout=72, n_train=73)
    index = split_tasks(inventory, config)
    report = leakage_report(inventory, index, config)
    assert report["components"]["total"] == 96
    assert report["tasks"] == {"total": 145, "heldout": 72, "train": 73}
    assert report["passages"]["required_on_both_sides"] == 0
    assert len({source for task in inventory.tasks for source in task.source_ids}) == 241


@pytest.mark.parametrize(
    ("kind", "teams"), [(HotpotQAConfig, 4), (MuSiQueConfig, 12), (WikiMultihopConfig, 4)]
)
@pytest.mark.parametrize("distractors", ["seeded", "bm25"])
def test_exactly_one_legal_team_of_each_task_holds_all_evidence(
    multihop_dir: Path, kind: type[Multi], teams: int, distractors: str
) -> None:
    config, inventory = load(kind, multihop_dir, distractors=distractors)
    tables = publish_all(config, inventory)
    required = {row["task_id"]: row["required_team"] for row in tables.answers.to_pylist()}
    rows = tables.family.to_pylist()
    assert Counter(Counter(row["task_id"] for row in rows).values()) == {teams: len(inventory.tasks)}
    complete = Counter(row["task_id"] for row in rows if row["workers"] == required[row["task_id"]])
    assert complete == Counter(dict.fromkeys(required, 1))


def test_team_ids_of_real_tasks_carry_no_information_about_the_gold_team(multihop_dir: Path) -> None:
    config, inventory = load(MuSiQueConfig, multihop_dir)
    tables = publish_all(config, inventory)
    required = {row["task_id"]: row["required_team"] for row in tables.answers.to_pylist()}
    ranks = Counter(
        row["canonical_rank"]
        for row in tables.family.to_pylist()
        if row["workers"] == required[row["task_id"]]
    )
    assert chisquare([ranks[rank] for rank in range(12)]).pvalue > 1e-3


@pytest.mark.parametrize("kind", [HotpotQAConfig, MuSiQueConfig, WikiMultihopConfig])
def test_topic_words_of_real_cards_are_equally_many_and_never_of_the_answer(
    multihop_dir: Path, kind: type[Multi]
) -> None:
    _, inventory = load(kind, multihop_dir, card="topics")
    for task in inventory.tasks:
        shown = [worker.card.rpartition("; topics: ")[2].split(", ") for worker in task.workers]
        assert len({len(words) for words in shown}) == 1
        answer = set(task.answer.lower().split())
        assert not answer & {word for words in shown for word in words}


@pytest.mark.parametrize(("kind", "chance"), [(HotpotQAConfig, 3 / 4), (MuSiQueConfig, 11 / 12)])
def test_a_reader_of_card_sizes_chooses_no_better_and_no_worse_than_chance(
    multihop_dir: Path, kind: type[Multi], chance: float
) -> None:
    """Over several deals: one deal of 108 tasks has a standard error of .04 by itself."""
    regrets = [_regret_by_size(multihop_dir, kind, seed) for seed in range(3)]
    assert sum(regrets) / 3 == pytest.approx(chance, abs=0.05)


def test_without_balancing_the_shorter_hotpot_title_gives_the_second_hop_away(multihop_dir: Path) -> None:
    _, inventory = load(HotpotQAConfig, multihop_dir, balance_sizes=False)
    hits = [_shortest_is_gold(task.workers) for task in inventory.tasks]
    assert sum(hits) / len(hits) > 0.65


def _shortest_is_gold(workers: tuple[SourceWorker, ...]) -> float:
    """How often a guess at the shortest card of the second hop, ties drawn, is the gold one."""
    lengths = [(len(w.card), w.component_id == "gold") for w in workers if w.slot == 1]
    picked = [gold for length, gold in lengths if length == min(length for length, _ in lengths)]
    return sum(picked) / len(picked)


def _regret_by_size(folder: Path, kind: type[Multi], seed: int, **settings: Any) -> float:
    """Mean regret of the wordless attacker `card_sizes`, cross-fitted over source components."""
    _, inventory = load(kind, folder, card="topics", seed=seed, **settings)
    index = split_tasks(inventory, SplitConfig(heldout_fraction=1)).to_pylist()
    clusters = {row["original_id"]: row["cluster_id"] for row in index}
    views = {task.original_id: _view(task) for task in inventory.tasks}
    gold = {task.original_id: _gold_team(task) for task in inventory.tasks}
    router, corpus = ShortcutRouter("card_sizes", 1.0), Corpus(tuple(views.values()))
    picks: dict[str, str] = {}
    for fit in crossfit_assignment(clusters, 5, 1).fits:
        values = {
            task: {team.team_id: float(team.team_id == gold[task]) for team in views[task].teams}
            for task in fit.train
        }
        fitted = router.fit(Training([views[task] for task in fit.train], corpus, values))
        routed = router.route(fitted, View([views[task] for task in fit.route], corpus))
        picks |= {route.task_id: route.team_id for route in routed}
    return sum(picks[task] != gold[task] for task in gold) / len(gold)


def _view(task: SourceTask) -> TaskView:
    names = _slots(task)
    teams = [Team("+".join(pair), pair, 2.0, rank) for rank, pair in enumerate(product(*names))]
    cards = {name: task.workers[int(name)].card for slot in names for name in slot}
    return TaskView(task.original_id, task.question, cards, tuple(teams), 1.0, None)


def _slots(task: SourceTask) -> list[list[str]]:
    return [[str(n) for n, worker in enumerate(task.workers) if worker.slot == slot] for slot in (0, 1)]


def _gold_team(task: SourceTask) -> str:
    return "+".join(
        name for slot in _slots(task) for name in slot if task.workers[int(name)].component_id == "gold"
    )
