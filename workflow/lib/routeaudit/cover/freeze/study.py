"""Freeze the routes of a whole study into one table and one set of headers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import TypeAdapter

from routeaudit.config.routers import RouterConfig, ZeroShotLlm
from routeaudit.cover.freeze.assignment import Assignment, crossfit_assignment
from routeaudit.cover.freeze.broker import ModelBroker
from routeaudit.cover.freeze.freezing import Confinement, FrozenRoutes, freeze
from routeaudit.cover.freeze.inputs import PublicTables, TrainingTables
from routeaudit.cover.questions import Ask
from routeaudit.cover.split.phases import phase_tasks
from routeaudit.tables.artifacts import FROZEN_ROUTES

_ROUTERS: TypeAdapter[dict[str, RouterConfig]] = TypeAdapter(dict[str, RouterConfig])
_FOLD_SEED = 1


def frozen_tables(
    study: str, cfg: Mapping[str, Any], inputs: Mapping[str, tuple[Path, ...]], index: pa.Table
) -> tuple[pa.Table, dict[str, Any]]:
    """FROZEN_ROUTES of every router of a study, and policy -> header.

    Parameters
    ----------
    study : names the journals of routers that ask a model
    cfg : sections ``routers``, ``endpoints`` and ``split.crossfit_folds``
    inputs : the stage's files by name: tasks, cards, family, outcomes, evidence, answers, index
    """
    file = {name: paths[0] for name, paths in inputs.items()}
    routers = _ROUTERS.validate_python(cfg["routers"])
    frozen = freeze(
        routers,
        PublicTables(file["tasks"], file["cards"], file["family"]),
        TrainingTables(
            outcomes=file["outcomes"], endpoint=cfg["endpoints"]["primary"], evidence=file["evidence"]
        ),
        _assignment(index, cfg["split.crossfit_folds"]),
        Confinement(private=[file["evidence"], file["answers"], file["index"]], processes=2),
        _models(study, routers),
    )
    return _one_table(frozen), {policy: dict(routes.header) for policy, routes in frozen.items()}


def _models(study: str, routers: Mapping[str, RouterConfig]) -> dict[str, Ask]:
    return {
        policy: ModelBroker(definition.model, Path("results/journal"), f"{study}-routes-{policy}")
        for policy, definition in routers.items()
        if isinstance(definition, ZeroShotLlm)
    }


def _assignment(index: pa.Table, folds: int | None) -> Assignment:
    clusters = {row["task_id"]: row["cluster_id"] for row in index.to_pylist()}
    heldout = phase_tasks(index, "heldout")
    if folds is not None:
        return crossfit_assignment({task: clusters[task] for task in heldout}, folds, _FOLD_SEED)
    return Assignment.heldout(phase_tasks(index, "train"), heldout, clusters)


def _one_table(frozen: Mapping[str, FrozenRoutes]) -> pa.Table:
    tables = [
        routes.table.append_column("policy", pa.array([policy] * routes.table.num_rows, pa.string()))
        for policy, routes in frozen.items()
    ]
    return FROZEN_ROUTES.conform(
        pa.concat_tables(t.select(FROZEN_ROUTES.fields.names) for t in tables), "routes"
    )
