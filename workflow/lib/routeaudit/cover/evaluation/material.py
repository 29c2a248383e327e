"""Read what scoring and inference of a study need from its artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.config.inference import CoverageConfig, EndpointsConfig
from routeaudit.cover.coverage.planning import of_tasks
from routeaudit.cover.coverage.routes import routes_by_policy
from routeaudit.cover.evaluation.evaluate import Evaluation, Tables
from routeaudit.cover.split.phases import phase_tasks
from routeaudit.provenance.sealed import routes_digest
from routeaudit.tables import read_json, read_table
from routeaudit.tables.artifacts import FAMILY, FROZEN_ROUTES, INDEX_TASKS, OUTCOMES


@dataclass(frozen=True, eq=False)
class Material:
    """A study's index, the headers and digests of its routes, and its evaluation."""

    index: pa.Table
    headers: Mapping[str, Mapping[str, Any]]
    route_digests: Mapping[str, str]
    evaluation: Evaluation


def read_evaluation(cfg: Mapping[str, Any], inputs: Mapping[str, tuple[Path, ...]]) -> Material:
    """Read the artifacts named index, family, outcomes, routes and headers."""
    file = {name: paths[0] for name, paths in inputs.items()}
    index = read_table(file["index"], INDEX_TASKS)
    routes = read_table(file["routes"], FROZEN_ROUTES)
    headers = read_json(file["headers"])
    heldout = phase_tasks(index, "heldout")
    tables = Tables(
        index=of_tasks(index, heldout),
        family=of_tasks(read_table(file["family"], FAMILY), heldout),
        outcomes=read_table(file["outcomes"], OUTCOMES),
        routes=routes_by_policy(routes, tuple(headers)),
        kinds={policy: header["definition"]["kind"] for policy, header in headers.items()},
    )
    evaluation = Evaluation(
        tables,
        CoverageConfig.model_validate(cfg["coverage"]),
        EndpointsConfig.model_validate(cfg["endpoints"]),
    )
    return Material(index, headers, {p: routes_digest(routes, p) for p in headers}, evaluation)
