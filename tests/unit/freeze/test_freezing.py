"""Freezing: what routers' processes can see, and what is made of their routes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routeaudit.config.routers import BestFixed, Random, RouterConfig, RouteTable, UserFile
from routeaudit.cover.confinement import landlock_abi
from routeaudit.cover.freeze import (
    Assignment,
    Confinement,
    FrozenRoutes,
    TrainingTables,
    crossfit_assignment,
    freeze,
    freeze_each,
)
from routeaudit.errors import InputError
from routeaudit.tables import table_digest
from unit.routers.invented import InventedStudy, invent

pytestmark = pytest.mark.concurrent
needs_landlock = pytest.mark.skipif(landlock_abi() < 1, reason="this kernel has no Landlock")

CURIOUS = """
import os, socket
from pathlib import Path
from routeaudit.cover.routers import Route, Router

class Curious(Router):
    information = "{information}"

    def __init__(self, paths):
        self.paths = paths

    def fit(self, training):
        return {{
            "opened": [Path(path).name for path in self.paths if self.opens(path)],
            "socket": self.connects(),
            "secret": os.environ.get("ROUTEAUDIT_TEST_SECRET"),
            "outcomes_of": sorted(training.values),
            "trained_on": [task.task_id for task in training.tasks],
            "wrote": Path("notes.txt").write_text("mine") > 0,
        }}

    def opens(self, path):
        try:
            open(path, "rb").close()
        except OSError:
            return False
        return True

    def connects(self):
        try:
            socket.socket().close()
        except OSError:
            return False
        return True

    def route(self, fitted, view):
        return [Route(task.task_id, task.teams[0].team_id) for task in view.tasks]
"""
MISROUTING = """
from routeaudit.cover.routers import Route, Router

class Router_(Router):
    information = "public"

    def __init__(self, fault):
        self.fault = fault

    def route(self, fitted, view):
        routes = [Route(task.task_id, task.teams[0].team_id, 0.5) for task in view.tasks]
        match self.fault:
            case "illegal": routes[3] = Route(routes[3].task_id, "g99")
            case "raises": raise ZeroDivisionError("by zero")
            case "not_plain": routes[3] = Route(routes[3].task_id, 7)
            case "not_finite": routes[3] = Route(routes[3].task_id, "g01", float("nan"))
            case "dies": __import__("os").abort()
        return routes
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> InventedStudy:
    return invent(tmp_path_factory.mktemp("study"), n_tasks=12)


def frozen(
    study: InventedStudy,
    routers: Mapping[str, RouterConfig],
    assignment: Assignment | None = None,
    confinement: Confinement | None = None,
    training: TrainingTables | None = None,
) -> dict[str, FrozenRoutes]:
    return freeze(
        routers,
        study.public,
        training or study.training,
        assignment or study.assignment,
        confinement or Confinement(),
    )


def curious(study: InventedStudy, folder: Path, information: str = "public") -> UserFile:
    file = folder / f"curious_{information}.py"
    file.write_text(CURIOUS.format(information=information))
    paths = [str(study.folder / f"{name}.parquet") for name in ("evidence", "outcomes", "tasks")]
    return UserFile(
        file=str(file), class_name="Curious", sees=information, options={"paths": [*paths, "/etc/passwd"]}
    )


@needs_landlock
def test_a_public_router_opens_public_tables_only_has_no_socket_and_no_secrets(
    study: InventedStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUTEAUDIT_TEST_SECRET", "hush")
    private = (study.folder / "evidence.parquet", study.folder / "outcomes.parquet")
    header = frozen(
        study, {"curious": curious(study, tmp_path)}, confinement=Confinement("landlock", private)
    )["curious"].header
    fitted = header["fits"][0]["fitted"]
    assert fitted["opened"] == ["tasks.parquet"]
    assert fitted["socket"] is False
    assert fitted["secret"] is None
    assert fitted["outcomes_of"] == []
    assert fitted["wrote"] is True
    assert header["mechanism"] == "landlock"
    assert header["fits"][0]["confinement"]["opened"] == []
    assert "evidence.parquet" in header["fits"][0]["asked_outside"]


def test_without_confinement_the_same_router_opens_everything_and_the_header_says_none(
    study: InventedStudy, tmp_path: Path
) -> None:
    header = frozen(study, {"curious": curious(study, tmp_path)}, confinement=Confinement("none"))[
        "curious"
    ].header
    assert {"evidence.parquet", "outcomes.parquet"} <= set(header["fits"][0]["fitted"]["opened"])
    assert header["mechanism"] == "none"


@needs_landlock
def test_a_crossfit_shows_each_fit_the_outcomes_of_other_folds_only(
    study: InventedStudy, tmp_path: Path
) -> None:
    clusters = {task: f"c{int(task[1:]) // 2}" for task in study.assignment.clusters}
    assignment = crossfit_assignment(clusters, 3, seed=5)
    router = curious(study, tmp_path, "outcome_supervised_public")
    made = frozen(study, {"curious": router}, assignment, Confinement("landlock"))["curious"]
    fold_of = dict(zip(made.table["task_id"].to_pylist(), made.table["fold"].to_pylist(), strict=True))
    assert set(fold_of) == set(clusters)
    for fit in made.header["fits"]:
        outside = {task for task, fold in fold_of.items() if fold != fit["fold"]}
        assert set(fit["fitted"]["outcomes_of"]) == set(fit["fitted"]["trained_on"]) == outside
        assert fit["fitted"]["opened"] == ["tasks.parquet"]
        held = {clusters[task] for task in set(clusters) - outside}
        assert held.isdisjoint(clusters[task] for task in outside)
    assert made.header["crossfit"]


@pytest.mark.parametrize(
    ("fault", "where", "found"),
    [
        ("illegal", "task 't009', key 'team_id'", "'g99'"),
        ("raises", "router 'bad' (user_file)", "ZeroDivisionError: by zero at bad.py:"),
        ("not_plain", "router 'bad' (user_file)", "7"),
        ("not_finite", "router 'bad' (user_file)", "ValueError"),
        ("dies", "router 'bad' (user_file)", "no result"),
    ],
)
def test_a_router_that_fails_or_misroutes_gets_a_message_and_no_routes(
    study: InventedStudy, tmp_path: Path, fault: str, where: str, found: str
) -> None:
    (tmp_path / "bad.py").write_text(MISROUTING)
    bad = UserFile(file=str(tmp_path / "bad.py"), class_name="Router_", options={"fault": fault})
    with pytest.raises(InputError) as raised:
        frozen(study, {"bad": bad})
    assert where in raised.value.where
    assert found in raised.value.found


def test_a_user_file_without_the_class_or_with_another_information_set_is_refused(
    study: InventedStudy, tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text(MISROUTING)
    with pytest.raises(InputError, match="none of the file's own"):
        frozen(study, {"bad": UserFile(file=str(tmp_path / "bad.py"))})
    privileged = UserFile(file=str(tmp_path / "bad.py"), class_name="Router_", sees="privileged")
    with pytest.raises(InputError, match="make the class and the configuration's `sees` agree"):
        frozen(study, {"bad": privileged})


def test_a_supervised_router_without_training_outcomes_is_refused(study: InventedStudy) -> None:
    with pytest.raises(InputError, match="training table of outcomes"):
        frozen(study, {"best": BestFixed()}, training=TrainingTables())


def test_the_header_gives_the_digest_of_the_routes_and_no_place_on_this_machine(study: InventedStudy) -> None:
    made = frozen(study, {"chance": Random(seed=3)})["chance"]
    header = made.header
    assert header["routes_digest"] == table_digest(made.table)
    assert header["n_routes"] == made.table.num_rows == 6
    assert set(header["fits"][0]["inputs"]) == {"tasks", "cards", "family"}
    assert (header["information_set"], header["seed"]) == ("public", 3)
    assert frozen(study, {"chance": Random(seed=3)})["chance"].header == header
    assert json.dumps(header).count(str(study.folder)) == 0


@pytest.fixture
def ready_made(study: InventedStudy, tmp_path: Path) -> pa.Table:
    tasks = study.assignment.routed
    return pa.table(
        {
            "policy": ["mine"] * len(tasks) + ["other"],
            "task_id": [*tasks, "t999"],
            "team_id": ["g01"] * (len(tasks) + 1),
        }
    )


def test_routes_made_elsewhere_are_taken_from_csv_or_parquet_and_are_not_confined(
    study: InventedStudy, ready_made: pa.Table, tmp_path: Path
) -> None:
    pq.write_table(ready_made, tmp_path / "routes.parquet")
    pa.csv.write_csv(ready_made, tmp_path / "routes.csv")
    routers = {
        name: RouteTable(file=str(tmp_path / f"routes.{name}"), policy="mine") for name in ("csv", "parquet")
    }
    made = frozen(study, routers)
    assert made["csv"].table == made["parquet"].table
    assert made["csv"].table["team_id"].to_pylist() == ["g01"] * 6
    assert made["csv"].header["mechanism"] == "none"
    assert made["csv"].header["definition"]["file"] == "routes.csv"


def test_a_table_of_routes_with_a_missing_policy_column_or_illegal_team_is_refused(
    study: InventedStudy, ready_made: pa.Table, tmp_path: Path
) -> None:
    file = tmp_path / "routes.csv"
    pa.csv.write_csv(ready_made, file)
    with pytest.raises(InputError, match="only mine, other"):
        frozen(study, {"mine": RouteTable(file=str(file), policy="absent")})
    with pytest.raises(InputError, match="row 0, key 'task_id'"):
        frozen(study, {"mine": RouteTable(file=str(file), policy="other")})
    pa.csv.write_csv(ready_made.drop_columns("team_id"), file)
    with pytest.raises(InputError, match="no column team_id;"):
        frozen(study, {"mine": RouteTable(file=str(file), policy="mine")})


def test_repeated_crossfits_equal_single_ones(study: InventedStudy) -> None:
    clusters = {task: f"c{int(task[1:]) // 2}" for task in study.assignment.clusters}
    assignments = [crossfit_assignment(clusters, 3, seed) for seed in (1, 2)]
    routers = {"best": BestFixed(), "chance": Random()}
    repeats = freeze_each(routers, study.public, study.training, assignments, Confinement())
    assert [set(made) for made in repeats] == [set(routers)] * 2
    assert repeats[0]["best"].table["fold"] != repeats[1]["best"].table["fold"]
    single = frozen(study, routers, assignments[1])
    assert {name: made.header for name, made in single.items()} == {
        name: made.header for name, made in repeats[1].items()
    }
