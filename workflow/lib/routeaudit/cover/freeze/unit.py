"""The work order of one confined process, as JSON between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from routeaudit.config.routers import RouterConfig, UserFile

PUBLIC_ROLES = ("tasks", "cards", "family")

_DEFINITION: TypeAdapter[RouterConfig] = TypeAdapter(RouterConfig)


@dataclass(frozen=True)
class Unit:
    """One router, one fit.

    Parameters
    ----------
    tables : the artifacts that the process may open, by role: tasks, cards, family, and outcomes or
        evidence where the information set has them
    endpoint, stack : which outcomes to learn from
    groups : opaque component numbers of the training tasks
    folder : the only place where the process may write
    broker : whether it may ask the pipeline for model answers
    """

    policy: str
    definition: RouterConfig
    tables: Mapping[str, str]
    endpoint: str
    stack: str | None
    train: tuple[str, ...]
    route: tuple[str, ...]
    groups: Mapping[str, int]
    fold: int | None
    folder: str
    broker: bool = False

    @property
    def reads(self) -> tuple[Path, ...]:
        """Every declared input file."""
        own = [self.definition.file] if isinstance(self.definition, UserFile) else []
        return tuple(Path(path) for path in (*self.tables.values(), *own))

    @property
    def dense(self) -> bool:
        """Whether the router measures text by sentence vectors."""
        return getattr(self.definition, "features", "words") == "dense"

    @property
    def result(self) -> Path:
        """Where the process leaves its routes."""
        return Path(self.folder) / "result.json"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "definition": self.definition.model_dump(mode="json")}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Unit:
        """The unit that `to_json` described."""
        definition = _DEFINITION.validate_python(values["definition"])
        sequences = {name: tuple(values[name]) for name in ("train", "route")}
        return cls(**{**values, **sequences, "definition": definition})


@dataclass(frozen=True)
class Job:
    """Units for one launcher process.

    Parameters
    ----------
    mechanism : how each unit's process is confined
    probes : files that must not open once confined
    processes : units run at a time
    """

    units: tuple[Unit, ...]
    mechanism: str
    probes: tuple[str, ...]
    processes: int

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "units": [unit.to_json() for unit in self.units]}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Job:
        """The job that `to_json` described."""
        units = tuple(Unit.from_json(unit) for unit in values["units"])
        return cls(units, values["mechanism"], tuple(values["probes"]), values["processes"])
