"""One call per study: fit every router, check its routes, write them with a header of how they came about."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.config.routers import RouterConfig, RouteTable
from routeaudit.cover.freeze.assignment import Assignment
from routeaudit.cover.freeze.checking import LegalTeams, legal_teams, routes_table
from routeaudit.cover.freeze.headers import fitted_header, table_header
from routeaudit.cover.freeze.inputs import Digests, GivenTables, PublicTables, TrainingTables
from routeaudit.cover.freeze.launch import UnitResult, choose_mechanism, launch
from routeaudit.cover.freeze.table_routes import read_route_rows
from routeaudit.cover.freeze.unit import Job, Unit
from routeaudit.tables import read_table, write_json, write_table
from routeaudit.tables.artifacts import FAMILY, ROUTES


@dataclass(frozen=True)
class FrozenRoutes:
    """A policy's routes (schema ROUTES) and the header written beside them."""

    policy: str
    table: pa.Table
    header: Mapping[str, Any]


@dataclass(frozen=True)
class Confinement:
    """How the routers' processes are held back.

    Parameters
    ----------
    wanted : ``auto``, ``landlock``, ``bubblewrap`` or ``none``
    private : files that no router may open; each confined process tries to, and must fail
    processes : fits run at a time
    """

    wanted: str = "auto"
    private: Sequence[Path] = ()
    processes: int = 1


def freeze(
    routers: Mapping[str, RouterConfig],
    public: PublicTables,
    training: TrainingTables,
    assignment: Assignment,
    confinement: Confinement,
) -> dict[str, FrozenRoutes]:
    """Fit and route every policy, each fit in its own process confined to its declared inputs.

    Raises
    ------
    InputError : a router fails, or routes an unknown, missing or illegal team or task.
    """
    legal = legal_teams(read_table(public.family, FAMILY))
    fitted = {name: made for name, made in routers.items() if not isinstance(made, RouteTable)}
    with tempfile.TemporaryDirectory(prefix="routers-") as folder:
        given = GivenTables(public, training, Path(folder))
        units = tuple(_units(fitted, given, training, assignment, Path(folder)))
        results = _launch(units, confinement)
        digests = Digests()
        frozen = {
            name: _fitted(name, made, [r for r in results if r.unit.policy == name], legal, digests)
            for name, made in fitted.items()
        }
    tables = {name: made for name, made in routers.items() if isinstance(made, RouteTable)}
    return frozen | {name: _ready_made(name, made, assignment, legal) for name, made in tables.items()}


def freeze_to(folder: Path, frozen: Mapping[str, FrozenRoutes]) -> None:
    """Write ``<policy>.parquet`` and ``<policy>.json`` for every policy."""
    for name, routes in frozen.items():
        write_table(folder / f"{name}.parquet", routes.table, ROUTES)
        write_json(folder / f"{name}.json", routes.header)


def _units(
    routers: Mapping[str, RouterConfig],
    given: GivenTables,
    training: TrainingTables,
    assignment: Assignment,
    folder: Path,
) -> Iterator[Unit]:
    for number, (policy, definition) in enumerate(routers.items()):
        for place, fit in enumerate(assignment.fits):
            own = folder / f"unit-{number}-{place}"
            own.mkdir()
            yield Unit(
                policy=policy,
                definition=definition,
                tables=given.paths(policy, definition, fit),
                endpoint=training.endpoint,
                stack=training.stack,
                train=fit.train,
                route=fit.route,
                groups=assignment.groups(fit),
                fold=fit.fold,
                folder=str(own),
            )


def _launch(units: tuple[Unit, ...], confinement: Confinement) -> list[UnitResult]:
    probes = tuple(str(path.resolve()) for path in confinement.private)
    mechanism = choose_mechanism(confinement.wanted)
    return launch(Job(units, mechanism, probes, confinement.processes))


def _fitted(
    policy: str,
    definition: RouterConfig,
    results: Sequence[UnitResult],
    legal: LegalTeams,
    digests: Digests,
) -> FrozenRoutes:
    where = f"routes of {policy!r}"
    rows = [
        {"task_id": task_id, "team_id": team_id, "score": score, "fold": result.unit.fold}
        for result in results
        for task_id, team_id, score in result.routes
    ]
    expected = [task for result in results for task in result.unit.route]
    table = routes_table(rows, expected, legal, where)
    return FrozenRoutes(policy, table, fitted_header(policy, definition, results, table, digests))


def _ready_made(
    policy: str, definition: RouteTable, assignment: Assignment, legal: LegalTeams
) -> FrozenRoutes:
    rows = read_route_rows(Path(definition.file), definition.policy)
    table = routes_table(rows, assignment.routed, legal, definition.file)
    return FrozenRoutes(policy, table, table_header(policy, definition, table))
