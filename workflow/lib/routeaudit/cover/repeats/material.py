"""What repeated cross-fits need of a finished cross-fitted study, and one way to freeze routes from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from routeaudit.config.inference import EndpointsConfig, TestsConfig
from routeaudit.config.routers import RouterConfig
from routeaudit.cover.freeze import Assignment, Confinement, PublicTables, TrainingTables, freeze_each
from routeaudit.cover.scoring.cells import Cells, build_cells
from routeaudit.cover.scoring.regret import observed_maximum
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.errors import InputError
from routeaudit.inference.units import FloatArray
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import FAMILY, INDEX_TASKS, OUTCOMES

_ROUTERS: TypeAdapter[dict[str, RouterConfig]] = TypeAdapter(dict[str, RouterConfig])


@dataclass(frozen=True, eq=False)
class Crossfitted:
    """A study whose every task is routed out of fold and has every outcome.

    Parameters
    ----------
    routers : the policies that the declared tests name
    pairs : contrast -> (policy, reference), those on the primary endpoint
    folds : number of folds
    clusters : task id -> source component
    cells : outcomes of the primary endpoint
    """

    routers: Mapping[str, RouterConfig]
    pairs: Mapping[str, tuple[str, str]]
    folds: int
    clusters: Mapping[str, str]
    cells: Cells
    public: PublicTables
    training: TrainingTables
    private: Sequence[Path]

    def regrets(self, assignments: Sequence[Assignment]) -> list[dict[str, FloatArray]]:
        """Per assignment, policy -> regret of every task (T,), in the order of ``cells.tasks``."""
        confinement = Confinement(private=self.private, processes=2)
        frozen = freeze_each(self.routers, self.public, self.training, assignments, confinement)
        best = observed_maximum(self.cells)
        found = []
        for policies in frozen:
            routes = {
                name: dict(zip(*(made.table[c].to_pylist() for c in ("task_id", "team_id")), strict=True))
                for name, made in policies.items()
            }
            located = locate_routes(self.cells, routes)
            found.append({name: best - self.cells.value[located.of(name)] for name in routes})
        return found


def read_crossfitted(cfg: Mapping[str, Any], inputs: Mapping[str, tuple[Path, ...]]) -> Crossfitted:
    """Read a study's artifacts index, tasks, cards, family, evidence, answers and outcomes.

    Parameters
    ----------
    cfg : sections ``routers``, ``endpoints``, ``tests`` and ``split.crossfit_folds``

    Raises
    ------
    InputError : the study is not cross-fitted, or lacks outcomes.
    """
    file = {name: paths[0] for name, paths in inputs.items()}
    folds, endpoint = cfg["split.crossfit_folds"], EndpointsConfig.model_validate(cfg["endpoints"]).primary
    if folds is None:
        raise InputError("split.crossfit_folds", "a number of folds", "none", "cross-fit the study first")
    index = read_table(file["index"], INDEX_TASKS)
    clusters = dict(zip(index["task_id"].to_pylist(), index["cluster_id"].to_pylist(), strict=True))
    cells = build_cells(
        read_table(file["family"], FAMILY), read_table(file["outcomes"], OUTCOMES), endpoint, clusters
    )
    if not cells.complete:
        raise InputError(str(file["outcomes"]), "every cell", "missing cells", "repeat a complete study")
    pairs = _pairs(TestsConfig.model_validate(cfg["tests"]), endpoint)
    named = {policy for pair in pairs.values() for policy in pair}
    routers = {name: made for name, made in _ROUTERS.validate_python(cfg["routers"]).items() if name in named}
    return Crossfitted(
        routers=routers,
        pairs=pairs,
        folds=folds,
        clusters=clusters,
        cells=cells,
        public=PublicTables(file["tasks"], file["cards"], file["family"]),
        training=TrainingTables(outcomes=file["outcomes"], endpoint=endpoint, evidence=file["evidence"]),
        private=[file["evidence"], file["answers"], file["index"]],
    )


def _pairs(tests: TestsConfig, endpoint: str) -> dict[str, tuple[str, str]]:
    declared = tests.primary | tests.secondary
    return {name: (c.policy, c.reference) for name, c in declared.items() if c.endpoint in (None, endpoint)}
