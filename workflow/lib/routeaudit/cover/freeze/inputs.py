"""The files that a router's process is given: the artifacts, or copies cut to its training tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.config.routers import PRIVILEGED, PUBLIC, RouterConfig
from routeaudit.cover.freeze.assignment import Fit
from routeaudit.cover.freeze.unit import PUBLIC_ROLES
from routeaudit.errors import InputError
from routeaudit.tables import content_digest, read_table, write_table
from routeaudit.tables.artifacts import OUTCOMES, PRIVATE_EVIDENCE
from routeaudit.tables.schema import TableSchema


@dataclass(frozen=True)
class PublicTables:
    """The artifacts that every router may open."""

    tasks: Path
    cards: Path
    family: Path


@dataclass(frozen=True)
class TrainingTables:
    """What supervised routers learn from.

    Parameters
    ----------
    outcomes : graded training cells
    endpoint, stack : which of them
    evidence : the private evidence table, for privileged routers only
    """

    outcomes: Path | None = None
    endpoint: str = "evidence_complete"
    stack: str | None = None
    evidence: Path | None = None


class GivenTables:
    """Which files each fit gets; a table with rows of other tasks is cut to the training tasks."""

    def __init__(self, public: PublicTables, training: TrainingTables, folder: Path) -> None:
        self._public = public
        self._training = training
        self._folder = folder
        self._cut: dict[tuple[str, Fit], Path] = {}

    def paths(self, policy: str, definition: RouterConfig, fit: Fit) -> dict[str, str]:
        """File per role for this router and fit.

        Raises
        ------
        InputError : the router's information set needs a table that the study does not have.
        """
        public = self._public
        given = dict(zip(PUBLIC_ROLES, (public.tasks, public.cards, public.family), strict=True))
        if definition.information_set != PUBLIC:
            given["outcomes"] = self._given("outcomes", self._training.outcomes, OUTCOMES, policy, fit)
        if definition.information_set == PRIVILEGED:
            given["evidence"] = self._given(
                "evidence", self._training.evidence, PRIVATE_EVIDENCE, policy, fit
            )
        return {role: str(path.resolve()) for role, path in given.items()}

    def _given(self, role: str, path: Path | None, schema: TableSchema, policy: str, fit: Fit) -> Path:
        if path is None:
            raise InputError(
                f"router {policy!r}",
                f"a study with a training table of {role}",
                "none",
                "give the study training cells, or leave the router out",
            )
        if (role, fit) not in self._cut:
            self._cut[role, fit] = self._cut_to_training(role, path, schema, fit)
        return self._cut[role, fit]

    def _cut_to_training(self, role: str, path: Path, schema: TableSchema, fit: Fit) -> Path:
        table = read_table(path, schema)
        inside = pc.is_in(table["task_id"], pa.array(fit.train, pa.string()))
        if pc.all(inside).as_py():
            return path
        copy = self._folder / f"{role}-{len(self._cut)}.parquet"
        write_table(copy, table.filter(inside), schema)
        return copy


class Digests:
    """Content digests of files, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The content digest of the file at `path`."""
        if path not in self._known:
            self._known[path] = content_digest(Path(path))
        return self._known[path]
