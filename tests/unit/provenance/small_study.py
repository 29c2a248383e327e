"""A small study made by real stages: seal, ingest, freeze, grade, score; with its ledger."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.ledger import FROZEN, SEALED, append_event, ledger_path
from routeaudit.provenance.sealed import routes_digest
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, schema, write_json, write_table
from routeaudit.tables.artifacts import FROZEN_ROUTES

TABLE = schema("small", ("task_id",), task_id=pa.string(), value=pa.float64())
CONFIG: dict[str, Any] = {"benchmark": {"n": 3}, "routers": {"bm25": {"k": 9}}, "stats": {"n_boot": 1000}}
DIGEST = "0" * 64


class Study:
    """One study below the working directory; `build` runs its stages, one may be run alone."""

    def __init__(self, name: str = "demo", config: Mapping[str, Any] = CONFIG, code: str = DIGEST) -> None:
        self.name = name
        self.config = config
        self.code = code
        self.folder = Path("results") / name

    def build(self) -> Study:
        for stage in ("seal", "ingest", "freeze", "grade", "score"):
            getattr(self, stage)()
        return self

    def seal(self) -> None:
        self._run("seal", self._seal, list(self.config), [], ["contract.json"])

    def ingest(self) -> None:
        self._run(
            "ingest", self._ingest, ["benchmark"], [], ["source/tasks.parquet", "source/inventory.json"]
        )

    def freeze(self) -> None:
        self._run("freeze", self._freeze, ["routers"], ["source/tasks.parquet"], ["routes.parquet"])

    def freeze_without_ledger(self) -> None:
        """Other routes with a record in order, of which the ledger knows nothing."""
        self._run("freeze", self._route_all_alike, ["routers"], ["source/tasks.parquet"], ["routes.parquet"])

    def grade(self) -> None:
        inputs = ["source/tasks.parquet", "routes.parquet"]
        self._run("grade", self._grade, [], inputs, ["heldout/outcomes.parquet"])

    def score(self) -> None:
        self._run("score", self._score, ["stats"], ["heldout/outcomes.parquet"], ["scores.parquet"])

    def _run(self, stage: str, main: Any, sections: list[str], inputs: list[str], outputs: list[str]) -> None:
        told = {name: self.config[name] for name in sections}
        arguments = ["--stage", stage, "--study", self.name, "--cfg", json.dumps(told), "--code", self.code]
        if stage != "seal":
            arguments += ["--contract", str(self.folder / "contract.json")]
        for flag, names in (("--in", inputs), ("--out", outputs)):
            for name in names:
                arguments += [flag, Path(name).stem, str(self.folder / name)]
        run_stage(main, arguments)

    def _seal(self, stage: Stage) -> None:
        contract = make_contract(self.name, dict(stage.cfg))
        write_json(stage.output("contract"), contract)
        append_event(ledger_path(Path("seals"), self.name), SEALED, {"contract": contract["digest"]})

    def _ingest(self, stage: Stage) -> None:
        rows = [{"task_id": f"t{n}", "value": float(n)} for n in range(stage.cfg["benchmark"]["n"])]
        write_table(stage.output("tasks"), TABLE.from_rows(rows), TABLE)
        write_json(stage.output("inventory"), {"kept": len(rows)})

    def _freeze(self, stage: Stage) -> None:
        k = stage.cfg["routers"]["bm25"]["k"]
        routes = {"bm25": lambda value: value + k, "fixed": lambda value: 0.0}
        table = _routes(stage.input("tasks"), routes)
        write_table(stage.output("routes"), table, FROZEN_ROUTES)
        for policy in routes:
            facts = {"policy": policy, "routes": routes_digest(table, policy), "heldout": DIGEST}
            append_event(ledger_path(Path("seals"), self.name), FROZEN, facts)

    def _route_all_alike(self, stage: Stage) -> None:
        routes = {"bm25": lambda value: 7.0, "fixed": lambda value: 0.0}
        write_table(stage.output("routes"), _routes(stage.input("tasks"), routes), FROZEN_ROUTES)

    def _grade(self, stage: Stage) -> dict[str, Any]:
        routes = read_table(stage.input("routes"), FROZEN_ROUTES).to_pylist()
        rows = [{"task_id": r["task_id"], "value": r["score"] % 2} for r in routes if r["policy"] == "bm25"]
        write_table(stage.output("outcomes"), TABLE.from_rows(rows), TABLE)
        return {"model": {"id": "tiny", "revision": "r1"}}

    def _score(self, stage: Stage) -> None:
        rows = read_table(stage.input("outcomes"), TABLE).to_pylist()
        doubled = [row | {"value": 2 * row["value"]} for row in rows]
        write_table(stage.output("scores"), TABLE.from_rows(doubled), TABLE)


def _routes(tasks: Path, routers: Mapping[str, Callable[[float], float]]) -> pa.Table:
    rows = [
        {
            "policy": policy,
            "task_id": row["task_id"],
            "team_id": f"g{route(row['value']):.0f}",
            "score": route(row["value"]),
            "fold": None,
        }
        for policy, route in routers.items()
        for row in read_table(tasks, TABLE).to_pylist()
    ]
    return FROZEN_ROUTES.from_rows(rows)


def command(module: ModuleType, *argv: str) -> int:
    """Run one sub-command as the routeaudit command does."""
    parser = argparse.ArgumentParser()
    module.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(argv)
    status: int = arguments.run(arguments)
    return status


def edit_record(artifact: Path, **changes: Any) -> None:
    """Change top-level entries of an artifact's record."""
    path = artifact.with_name(artifact.name + ".prov.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def rewrite_table(path: Path, value: float) -> None:
    """Put a valid table with other values in an artifact's place."""
    table = pq.read_table(path)
    values = pa.array([value] * table.num_rows)
    pq.write_table(table.set_column(1, table.schema.field("value"), values), path)
