"""One call per study: fit every router, check its routes, write them with a header of how they came about."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from routeaudit.config.routers import RouterConfig, RouteTable, ZeroShotLlm
from routeaudit.cover.encoder import check_encoder
from routeaudit.cover.freeze.assignment import Assignment, Fit
from routeaudit.cover.freeze.checking import LegalTeams, legal_teams, routes_table
from routeaudit.cover.freeze.headers import fitted_header, table_header
from routeaudit.cover.freeze.inputs import Digests, GivenTables, PublicTables, TrainingTables
from routeaudit.cover.freeze.launch import UnitResult, choose_mechanism, launch
from routeaudit.cover.freeze.table_routes import read_route_rows
from routeaudit.cover.freeze.unit import Job, Unit
from routeaudit.cover.questions import Ask
from routeaudit.errors import InputError
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import FAMILY


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
    processes : fits run at a time; a router that asks a model runs one fit at a time
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
    models: Mapping[str, Ask] = MappingProxyType({}),
) -> dict[str, FrozenRoutes]:
    """Fit and route every policy, each fit in its own process confined to its declared inputs.

    Parameters
    ----------
    models : per policy that asks a model, what answers it

    Raises
    ------
    InputError : a router fails, or routes an unknown, missing or illegal team or task.
    """
    return freeze_each(routers, public, training, [assignment], confinement, models)[0]


def freeze_each(
    routers: Mapping[str, RouterConfig],
    public: PublicTables,
    training: TrainingTables,
    assignments: Sequence[Assignment],
    confinement: Confinement,
    models: Mapping[str, Ask] = MappingProxyType({}),
) -> list[dict[str, FrozenRoutes]]:
    """`freeze` for several assignments, such as repeated cross-fits, from one launcher."""
    legal = legal_teams(read_table(public.family, FAMILY))
    fitted = {name: made for name, made in routers.items() if not isinstance(made, RouteTable)}
    tables = {name: made for name, made in routers.items() if isinstance(made, RouteTable)}
    with tempfile.TemporaryDirectory(prefix="routers-") as work:
        given = GivenTables(public, training, Path(work))
        plans = [
            _units(fitted, given, training, assignment, Path(work) / str(number))
            for number, assignment in enumerate(assignments)
        ]
        results = _launch([unit for plan in plans for unit in plan], confinement, models)
        digests = Digests()
        frozen = [_frozen([results[unit.folder] for unit in plan], legal, digests) for plan in plans]
    return [
        made | {name: _ready_made(name, table, assignment, legal) for name, table in tables.items()}
        for made, assignment in zip(frozen, assignments, strict=True)
    ]


def _units(
    routers: Mapping[str, RouterConfig],
    given: GivenTables,
    training: TrainingTables,
    assignment: Assignment,
    folder: Path,
) -> list[Unit]:
    units: list[Unit] = []
    for policy, definition in routers.items():
        for fit in assignment.fits:
            own = folder / f"unit-{len(units)}"
            own.mkdir(parents=True)
            tables = given.paths(policy, definition, fit)
            units.append(_unit(policy, definition, tables, training, fit, assignment.groups(fit), own))
    return units


def _unit(
    policy: str,
    definition: RouterConfig,
    tables: Mapping[str, str],
    training: TrainingTables,
    fit: Fit,
    groups: Mapping[str, int],
    folder: Path,
) -> Unit:
    return Unit(
        policy=policy,
        definition=definition,
        tables=tables,
        endpoint=training.endpoint,
        stack=training.stack,
        train=fit.train,
        route=fit.route,
        groups=groups,
        fold=fit.fold,
        folder=str(folder),
        broker=isinstance(definition, ZeroShotLlm),
    )


def _launch(
    units: Sequence[Unit], confinement: Confinement, models: Mapping[str, Ask]
) -> dict[str, UnitResult]:
    """Results by the unit's folder."""
    if any(unit.dense for unit in units):
        check_encoder()
    probes = tuple(str(path.resolve()) for path in confinement.private)
    mechanism = choose_mechanism(confinement.wanted)
    alone = tuple(unit for unit in units if not unit.broker)
    results = launch(Job(alone, mechanism, probes, confinement.processes))
    for policy in dict.fromkeys(unit.policy for unit in units if unit.broker):
        if policy not in models:
            raise InputError(f"router {policy!r}", "a model to ask", "none", "open the declared model for it")
        asking = tuple(unit for unit in units if unit.policy == policy)
        results += launch(Job(asking, mechanism, probes, processes=1), models[policy])
    return {result.unit.folder: result for result in results}


def _frozen(results: Sequence[UnitResult], legal: LegalTeams, digests: Digests) -> dict[str, FrozenRoutes]:
    by_policy: dict[str, list[UnitResult]] = {}
    for result in results:
        by_policy.setdefault(result.unit.policy, []).append(result)
    return {policy: _fitted(policy, own, legal, digests) for policy, own in by_policy.items()}


def _fitted(policy: str, results: Sequence[UnitResult], legal: LegalTeams, digests: Digests) -> FrozenRoutes:
    rows = [
        {"task_id": task_id, "team_id": team_id, "score": score, "fold": result.unit.fold}
        for result in results
        for task_id, team_id, score in result.routes
    ]
    expected = [task for result in results for task in result.unit.route]
    table = routes_table(rows, expected, legal, f"routes of {policy!r}")
    definition = results[0].unit.definition
    return FrozenRoutes(policy, table, fitted_header(policy, definition, results, table, digests))


def _ready_made(
    policy: str, definition: RouteTable, assignment: Assignment, legal: LegalTeams
) -> FrozenRoutes:
    rows = read_route_rows(Path(definition.file), definition.policy)
    table = routes_table(rows, assignment.routed, legal, definition.file)
    return FrozenRoutes(policy, table, table_header(policy, definition, table))
