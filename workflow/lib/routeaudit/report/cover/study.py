"""A study folder in memory: its contract, tables, headers, records and ledger, read once."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from routeaudit.config.stack import is_played
from routeaudit.errors import InputError
from routeaudit.provenance.ledger import Event, ledger_path, read_ledger
from routeaudit.provenance.records import read_record, record_path
from routeaudit.report.cover.words import REGIMES, Regime
from routeaudit.report.tables import Source
from routeaudit.tables import TableSchema, artifacts, content_digest, read_json, read_table, results

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Study:
    """Everything the page of one study shows.

    Parameters
    ----------
    folder : results/<study>; all paths on the page are relative to its grandparent
    contract : the sealed contract
    scores, contrasts, criteria : rows of the result tables
    headers : policy -> header of its frozen routes
    description : what its owner says about it
    """

    folder: Path
    contract: Mapping[str, Any]
    ledger: tuple[Event, ...]
    scores: Sequence[Row]
    contrasts: Sequence[Row]
    criteria: Sequence[Row]
    headers: Mapping[str, Mapping[str, Any]]
    description: str = ""

    @property
    def name(self) -> str:
        """The study's name."""
        return self.folder.name

    @property
    def sections(self) -> Mapping[str, Any]:
        """The sealed configuration by section."""
        sections: Mapping[str, Any] = self.contract["sections"]
        return sections

    @functools.cached_property
    def _scored(self) -> Mapping[tuple[str, str, str, str], Row]:
        return {(row["endpoint"], row["stack"], row["subject"], row["metric"]): row for row in self.scores}

    @functools.cached_property
    def regime(self) -> Regime:
        """The coverage regime and its words."""
        return REGIMES[self.sections["coverage"]["regime"]]

    @property
    def primary(self) -> str:
        """The endpoint of the headline."""
        return str(self.sections["endpoints"]["primary"])

    @property
    def endpoints(self) -> tuple[str, ...]:
        """All endpoints, the primary one first."""
        return tuple(dict.fromkeys((self.primary, *self.sections["endpoints"]["others"])))

    @property
    def played(self) -> bool:
        """Whether the stacks were played, not prompted."""
        return any(map(is_played, self.sections["stacks"].values()))

    @functools.cached_property
    def stacks(self) -> tuple[str, ...]:
        """Names of the stacks that were scored, in declared order."""
        scored = {row["stack"] for row in self.scores}
        declared = [name for name in self.sections["stacks"] if name in scored]
        return (*declared, *sorted(scored - set(declared)))

    @functools.cached_property
    def policies(self) -> tuple[str, ...]:
        """Scored policies by regret on the primary endpoint and first stack, lowest first; attackers last."""
        rows = {row["subject"]: row for row in self.scored(self.stacks[0], self.regime.regret)}
        scored = {row["subject"]: row["role"] for row in self.scores if row["role"] in _ROUTED}
        return tuple(
            sorted(
                scored, key=lambda name: (scored[name] == results.ROLE_SHORTCUT, _at(rows.get(name)), name)
            )
        )

    @functools.cached_property
    def shortcuts(self) -> frozenset[str]:
        """Policies that are shortcut attackers."""
        return frozenset(row["subject"] for row in self.scores if row["role"] == results.ROLE_SHORTCUT)

    def kind(self, policy: str) -> str:
        """The declared kind of a policy's router."""
        return str(self.sections["routers"].get(policy, {}).get("kind", ""))

    def sees(self, policy: str) -> str:
        """The information set of a policy's router."""
        return str(self.headers.get(policy, {}).get("information_set", ""))

    def score(self, stack: str, subject: str, metric: str, endpoint: str | None = None) -> Row:
        """One row of scores; an empty one where it was not computed."""
        return self._scored.get((endpoint or self.primary, stack, subject, metric), {})

    def scored(self, stack: str, metric: str, endpoint: str | None = None) -> list[Row]:
        """All rows of one metric."""
        wanted = (endpoint or self.primary, stack, metric)
        return [row for row in self.scores if (row["endpoint"], row["stack"], row["metric"]) == wanted]

    def pair(self, stack: str, policy: str, reference: str) -> Row:
        """The pairwise contrast of two policies, turned so that it reads policy minus reference."""
        for row in self.contrasts:
            if row["family"] != results.FAMILY_PAIRWISE or row["stack"] != stack or row["metric"] != "value":
                continue
            if (row["policy"], row["reference"]) == (policy, reference):
                return row
            if (row["policy"], row["reference"]) == (reference, policy):
                return _turned(row)
        return {}

    def has(self, name: str) -> bool:
        """Whether the study holds this file."""
        return (self.folder / name).exists()

    def table(self, name: str, schema: TableSchema) -> pd.DataFrame:
        """A table of the study as a frame."""
        frame: pd.DataFrame = read_table(self.folder / name, schema).to_pandas()
        return frame

    @functools.cached_property
    def family(self) -> pd.DataFrame:
        """The legal family."""
        return self.table("family.parquet", artifacts.FAMILY)

    @functools.cached_property
    def regret(self) -> pd.DataFrame:
        """Value and regret of each policy on each held-out task."""
        return self.table("regret.parquet", results.REGRET)

    @functools.cached_property
    def outcomes(self) -> pd.DataFrame:
        """Held-out outcomes."""
        return self.table("heldout/outcomes.parquet", artifacts.OUTCOMES)

    @functools.cached_property
    def index(self) -> pd.DataFrame:
        """Clusters and splits of the tasks."""
        return self.table("index/tasks.parquet", artifacts.INDEX_TASKS)

    def document(self, name: str) -> Any:
        """A JSON document of the study; None where there is none."""
        return read_json(self.folder / name) if self.has(name) else None

    def accounts(self, phase: str, stack: str, kind: str) -> list[Mapping[str, Any]]:
        """What the shards of a phase left with the logs; it holds times, so it is no artifact."""
        folder = self.folder / "logs" / "accounts" / phase / stack
        return [read_json(path) for path in sorted(folder.glob(f"{kind}-*.json"))]

    def source(self, name: str) -> Source:
        """Where a table or figure comes from: the artifact's path and content digest."""
        return Source(self.path(name), _content(self.folder / name))

    def path(self, name: str) -> str:
        """A file of the study as the project sees it."""
        return f"{self.folder.parent.name}/{self.name}/{name}"

    @functools.cached_property
    def records(self) -> Mapping[str, Mapping[str, Any]]:
        """Records of the study's artifacts by path within the folder."""
        found = sorted(self.folder.rglob("*.prov.json"))
        artifacts_of = [path.with_name(path.name.removesuffix(".prov.json")) for path in found]
        return {
            path.relative_to(self.folder).as_posix(): read_record(path)
            for path in artifacts_of
            if path.name not in _PAGES
        }


_ROUTED = (results.ROLE_POLICY, results.ROLE_SHORTCUT)
# A page that listed its own record would differ from itself when it is made again.
_PAGES = ("report.html",)


def read_study(folder: Path, seals: Path, description: str = "") -> Study:
    """Read what `results/<study>` holds.

    Raises
    ------
    InputError : a needed artifact is absent or does not follow its schema
    """
    if not (folder / "contract.json").exists():
        raise InputError(
            str(folder), "a study's results folder with contract.json", "none", "run the study first"
        )
    contract = read_json(folder / "contract.json")
    return Study(
        folder=folder,
        contract=contract,
        ledger=read_ledger(ledger_path(seals, folder.name)),
        scores=_rows(folder / "scores.parquet", results.SCORES),
        contrasts=_rows(folder / "contrasts.parquet", results.CONTRASTS),
        criteria=_rows(folder / "criteria.parquet", results.CRITERIA),
        headers=read_json(folder / "routes.json"),
        description=description,
    )


def _rows(path: Path, schema: TableSchema) -> list[Row]:
    rows: list[Row] = read_table(path, schema).to_pylist()
    return rows


def _at(row: Row | None) -> float:
    """Where a regret row stands among others: its estimate, or the lower of its bounds."""
    at = None if row is None else row["estimate"] if row["estimate"] is not None else row["bound_lower"]
    return math.inf if at is None else float(at)


def _content(path: Path) -> str:
    if record_path(path).exists():
        return str(read_record(path)["output"]["content"])
    return content_digest(path) if path.exists() else ""


def _turned(row: Row) -> Row:
    """The same contrast read the other way round."""
    turned = {**row, "policy": row["reference"], "reference": row["policy"]}
    for low, high in (("lower", "upper"), ("bound_lower", "bound_upper")):
        turned[low], turned[high] = _negative(row[high]), _negative(row[low])
    turned["estimate"] = _negative(row["estimate"])
    turned["wins"], turned["losses"] = row["losses"], row["wins"]
    return turned


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
