"""Outcome, route and family tables from CSV, Parquet or JSON lines, checked before anything is scored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
from scipy import sparse

from routeaudit.errors import InputError

_TEXT = ("task_id", "team_id", "policy", "endpoint", "status", "source_id")


def read_outcomes(path: Path) -> pa.Table:
    """Columns task_id, team_id, value, endpoint, status, and source_id, replicate, n_workers where given.

    ``outcome`` becomes ``value``; a missing endpoint is "outcome", a missing or empty status "ok".
    """
    table = _read(path, ("task_id", "team_id", "outcome"))
    table = table.rename_columns(["value" if name == "outcome" else name for name in table.column_names])
    table = _set(table, "value", _numbers(table["value"], path))
    table = _with_default(table, "endpoint", "outcome")
    return _with_default(table, "status", "ok")


def read_routes(path: Path) -> dict[str, dict[str, str]]:
    """policy -> task_id -> team_id, policies in order of first appearance."""
    table = _read(path, ("policy", "task_id", "team_id"))
    routes: dict[str, dict[str, str]] = {}
    for policy, task, team in zip(*(table[name].to_pylist() for name in _ROUTE_COLUMNS), strict=True):
        chosen = routes.setdefault(policy, {})
        if chosen.setdefault(task, team) != team:
            raise InputError(
                f"{path}: policy {policy!r}, task {task!r}",
                "one team",
                f"{chosen[task]!r} and {team!r}",
                "a policy routes a task once",
            )
    return routes


_ROUTE_COLUMNS = ("policy", "task_id", "team_id")


def read_family(path: Path) -> pa.Table:
    """The legal family: task_id, team_id and optionally n_workers, canonical_rank."""
    return _read(path, ("task_id", "team_id"))


def source_clusters(outcomes: pa.Table) -> dict[str, str] | None:
    """Cluster of each task: its connected component through shared source ids; None without source_id."""
    if "source_id" not in outcomes.column_names:
        return None
    tasks, sources = _task_sources(outcomes)
    names, task_codes = np.unique(tasks, return_inverse=True)
    source_names, source_codes = np.unique(sources, return_inverse=True)
    size = names.size + source_names.size
    edges = (np.ones(task_codes.size), (task_codes, names.size + source_codes))
    _, labels = sparse.csgraph.connected_components(
        sparse.coo_array(edges, shape=(size, size)), directed=False
    )
    return {str(task): f"c{label}" for task, label in zip(names, labels[: names.size], strict=True)}


def _task_sources(outcomes: pa.Table) -> tuple[list[str], list[str]]:
    """Pairs of task and source id; a list of sources counts each, a task without one is its own source."""
    pairs = []
    for task, source in zip(outcomes["task_id"].to_pylist(), outcomes["source_id"].to_pylist(), strict=True):
        listed = source if isinstance(source, list) else [source]
        pairs += [
            (task, f"task {task}" if name in (None, "") else f"source {name}") for name in listed or [None]
        ]
    return [task for task, _ in pairs], [source for _, source in pairs]


def _read(path: Path, required: tuple[str, ...]) -> pa.Table:
    try:
        table = _parse(path)
    except (OSError, pa.ArrowInvalid) as error:
        hint = "check the path" if isinstance(error, OSError) else "check the file's format"
        raise InputError(str(path), "a CSV, Parquet or JSON lines table", str(error), hint) from error
    lost = [name for name in required if name not in table.column_names]
    if lost or not table.num_rows:
        found = f"columns {', '.join(table.column_names)}, {table.num_rows} rows"
        raise InputError(
            str(path), f"rows with the columns {', '.join(required)}", found, "see routeaudit score -h"
        )
    for name in table.column_names:
        if name in _TEXT and not pa.types.is_list(table[name].type):
            table = _set(table, name, table[name].cast(pa.string()))
    return _without_gaps(table, path, required)


def _parse(path: Path) -> pa.Table:
    if path.suffix == ".csv":
        types = {name: pa.string() for name in _TEXT}
        return pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(column_types=types))
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    if path.suffix in (".jsonl", ".ndjson", ".json"):
        return pa.json.read_json(path)
    raise InputError(
        str(path),
        "a file ending in .csv, .parquet or .jsonl",
        f"ending {path.suffix!r}",
        "rename or convert it",
    )


def _without_gaps(table: pa.Table, path: Path, required: tuple[str, ...]) -> pa.Table:
    for name in required:
        if name in _TEXT and (gaps := table[name].null_count):
            row = pc.index(pc.is_null(table[name]), True).as_py()
            raise InputError(
                f"{path}: row {row + 1}, column {name!r}",
                "a value",
                f"none ({gaps} such rows)",
                "fill the column",
            )
    return table


def _numbers(column: pa.ChunkedArray, path: Path) -> pa.ChunkedArray:
    try:
        return column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"{path}: column 'outcome'", "numbers in [0, 1]", str(error), "write 0 or 1, or a share"
        ) from error


def _set(table: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)


def _with_default(table: pa.Table, name: str, default: str) -> pa.Table:
    if name not in table.column_names:
        return table.append_column(name, pa.array([default] * table.num_rows))
    column = table[name]
    empty = pc.equal(pc.fill_null(column, ""), "")
    return _set(table, name, pc.if_else(empty, default, column))
