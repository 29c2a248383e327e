"""What every router must keep to, whatever it does: its information set, legality, budget, determinism."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest

from routeaudit.config import routers as config
from routeaudit.config.routers import PRIVILEGED, PUBLIC, RouterConfig
from routeaudit.cover.freeze import Confinement, FrozenRoutes, freeze
from routeaudit.cover.freeze.wire import ask_broker
from routeaudit.cover.routers.registry import build_router
from routeaudit.tables import read_table, table_digest, write_table
from routeaudit.tables.artifacts import FAMILY, OUTCOMES, PRIVATE_EVIDENCE
from unit.routers.invented import CANARY, InventedStudy, invent

pytestmark = pytest.mark.concurrent

ROUTERS: dict[str, RouterConfig] = {
    "random": config.Random(),
    "all_workers": config.AllWorkers(),
    "best_fixed": config.BestFixed(),
    "bm25": config.Bm25(),
    "card_retriever": config.CardRetriever(),
    "public_capability": config.PublicCapability(),
    "direct_set": config.DirectSet(),
    "leave_one_out": config.LeaveOneOut(),
    "calibrated_graph": config.CalibratedGraph(),
    "unified_cover": config.UnifiedCover(),
    "unified_assignment": config.UnifiedCover(decoder="assignment"),
    "unified_privileged": config.UnifiedCover(labels="components"),
    "no_partition": config.NoPartition(),
    "no_partition_privileged": config.NoPartition(labels="components"),
    "learned_value": config.LearnedValue(),
    "shortcut_ids": config.Shortcut(cue="ids"),
    "shortcut_order": config.Shortcut(cue="order"),
    "shortcut_lengths": config.Shortcut(cue="lengths"),
    "shortcut_card_sizes": config.Shortcut(cue="card_sizes"),
}
WORDLESS = (
    "random",
    "best_fixed",
    "shortcut_ids",
    "shortcut_order",
    "shortcut_lengths",
    "shortcut_card_sizes",
)
READERS = ("bm25", "direct_set", "calibrated_graph", "unified_cover", "unified_privileged", "no_partition")


def frozen(study: InventedStudy) -> dict[str, FrozenRoutes]:
    private = (study.folder / "evidence.parquet", study.folder / "outcomes.parquet")
    return freeze(
        ROUTERS, study.public, study.training, study.assignment, Confinement("auto", private, processes=2)
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> InventedStudy:
    return invent(tmp_path_factory.mktemp("study"), n_tasks=48)


@pytest.fixture(scope="module")
def routes(study: InventedStudy) -> dict[str, FrozenRoutes]:
    return frozen(study)


@pytest.fixture(scope="module")
def permuted(study: InventedStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, FrozenRoutes]:
    """Routes of the same study after its private columns were permuted within each task."""
    folder = tmp_path_factory.mktemp("permuted") / "study"
    shutil.copytree(study.folder, folder)
    evidence = read_table(folder / "evidence.parquet", PRIVATE_EVIDENCE)
    columns = ["slot", "passages", "component_id"]
    shuffled = _shuffled_within_tasks(evidence, columns)
    write_table(folder / "evidence.parquet", shuffled, PRIVATE_EVIDENCE)
    return frozen(InventedStudy(folder, study.n_tasks))


@pytest.fixture(scope="module")
def other_outcomes(study: InventedStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, FrozenRoutes]:
    """Routes of the same study after its training outcomes were permuted within each task."""
    folder = tmp_path_factory.mktemp("outcomes") / "study"
    shutil.copytree(study.folder, folder)
    outcomes = read_table(folder / "outcomes.parquet", OUTCOMES)
    write_table(folder / "outcomes.parquet", _shuffled_within_tasks(outcomes, ["value"]), OUTCOMES)
    return frozen(InventedStudy(folder, study.n_tasks))


def _shuffled_within_tasks(table: pa.Table, columns: list[str]) -> pa.Table:
    rng = np.random.default_rng(4)
    tasks = np.array(table["task_id"].to_pylist())
    places = np.arange(table.num_rows)
    for task in np.unique(tasks):
        places[tasks == task] = rng.permutation(places[tasks == task])
    for column in columns:
        number = table.column_names.index(column)
        table = table.set_column(number, table.schema.field(column), table[column].take(pa.array(places)))
    return table


def values(study: InventedStudy, made: FrozenRoutes) -> float:
    outcomes = read_table(study.training.outcomes or Path(), OUTCOMES).to_pylist()
    value = {(row["task_id"], row["team_id"]): row["value"] for row in outcomes}
    return float(np.mean([value[row["task_id"], row["team_id"]] for row in made.table.to_pylist()]))


def digests(made: Mapping[str, FrozenRoutes]) -> dict[str, str]:
    return {name: table_digest(routes.table.select(["task_id", "team_id"])) for name, routes in made.items()}


def test_every_kind_of_router_is_under_contract() -> None:
    kinds = {kind.model_fields["kind"].default for kind in get_args(get_args(config.RouterConfig)[0])}
    elsewhere = {"user_file", "route_table", "zero_shot_llm"}
    assert {definition.kind for definition in ROUTERS.values()} == kinds - elsewhere


@pytest.mark.parametrize("name", ROUTERS)
def test_class_and_configuration_declare_one_information_set(name: str) -> None:
    assert build_router(ROUTERS[name], ask_broker).information == ROUTERS[name].information_set


@pytest.mark.parametrize("name", ROUTERS)
def test_every_heldout_task_gets_a_legal_team_within_budget(
    name: str, study: InventedStudy, routes: dict[str, FrozenRoutes]
) -> None:
    family = read_table(study.public.family, FAMILY).to_pylist()
    cost = {(row["task_id"], row["team_id"]): row["cost"] for row in family}
    rows = routes[name].table.to_pylist()
    assert [row["task_id"] for row in rows] == list(study.assignment.routed)
    assert all(cost[row["task_id"], row["team_id"]] <= 2.0 for row in rows)


def test_a_second_run_gives_the_same_routes_and_headers(
    study: InventedStudy, routes: dict[str, FrozenRoutes]
) -> None:
    again = frozen(study)
    assert {name: made.header for name, made in again.items()} == {
        name: made.header for name, made in routes.items()
    }


@pytest.mark.parametrize("name", ROUTERS)
def test_permuted_private_columns_move_privileged_routes_only(
    name: str, routes: dict[str, FrozenRoutes], permuted: dict[str, FrozenRoutes]
) -> None:
    same = digests(routes)[name] == digests(permuted)[name]
    assert same == (ROUTERS[name].information_set != PRIVILEGED)


@pytest.mark.parametrize("name", ROUTERS)
def test_other_training_outcomes_move_no_public_route(
    name: str, routes: dict[str, FrozenRoutes], other_outcomes: dict[str, FrozenRoutes]
) -> None:
    if ROUTERS[name].information_set == PUBLIC:
        assert routes[name].header == other_outcomes[name].header
    elif name in READERS and ROUTERS[name].information_set != PRIVILEGED:
        assert digests(routes)[name] != digests(other_outcomes)[name]


@pytest.mark.parametrize("name", ROUTERS)
def test_no_private_text_is_in_routes_or_headers(name: str, routes: dict[str, FrozenRoutes]) -> None:
    assert CANARY not in json.dumps(routes[name].header)
    assert CANARY not in json.dumps(routes[name].table.to_pylist())


@pytest.mark.parametrize("name", ROUTERS)
def test_only_declared_inputs_are_given(name: str, routes: dict[str, FrozenRoutes]) -> None:
    given = {"tasks", "cards", "family"}
    if ROUTERS[name].information_set != PUBLIC:
        given |= {"outcomes"}
    if ROUTERS[name].information_set == PRIVILEGED:
        given |= {"evidence"}
    assert set(routes[name].header["fits"][0]["inputs"]) == given


def test_routers_that_read_find_the_gold_team_and_wordless_ones_do_not(
    study: InventedStudy, routes: dict[str, FrozenRoutes]
) -> None:
    read = {name: values(study, routes[name]) for name in READERS}
    blind = {name: values(study, routes[name]) for name in WORDLESS}
    assert min(read.values()) > 0.9, read
    # Chance is 1/12: a router at chance exceeds 8 hits in 24 tasks once in about 12,600 studies.
    assert max(blind.values()) <= 8 / 24, blind
