"""Outcome and family tables of a user, checked row by row before anything is scored."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.errors import InputError
from routeaudit.inference.units import FloatArray
from routeaudit.tables.artifacts import STATUS_INVALID, STATUS_MISSING, STATUS_OK
from routeaudit.tables.foreign import Foreign, Wanted, read_foreign, values
from routeaudit.tables.foreign.keys import codes, keys, repeated

_OUTCOMES = Wanted.of(
    ("task_id", "team_id", "outcome"), ("source_id", "endpoint", "status", "replicate", "n_workers")
)
_FAMILY = Wanted.of(("task_id", "team_id"), ("workers", "n_workers", "canonical_rank"))
_STATUS = (STATUS_OK, STATUS_INVALID, STATUS_MISSING)


def read_outcomes(path: Path) -> pa.Table:
    """Columns task_id, team_id, value, endpoint, status, and source_id, replicate, n_workers where given.

    ``outcome`` becomes ``value``; a blank endpoint is "outcome", a blank status "ok", a blank source id null.

    Raises
    ------
    InputError : a file that is no such table, a blank id, an outcome that is none, a row twice, two sources
    of one task
    """
    found = read_foreign(path, _OUTCOMES)
    columns: dict[str, pa.ChunkedArray | pa.Array] = {
        "task_id": values.identifiers(found, "task_id"),
        "team_id": values.identifiers(found, "team_id"),
        "endpoint": pc.fill_null(values.optional_text(found, "endpoint"), "outcome"),
        "status": _statuses(found),
    }
    columns["value"] = _outcomes(found, columns["status"])
    columns |= {name: values.integers(found, name) for name in ("n_workers",) if found.has(name)}
    columns |= {"replicate": _replicates(found)} if found.has("replicate") else {}
    columns |= {"source_id": source_ids(found)} if found.has("source_id") else {}
    table = pa.table(columns)
    _check_once(found, table, ("task_id", "team_id", "endpoint", "replicate"))
    if found.has("source_id"):
        _check_sources(found, table)
    return table


def read_family(path: Path, outcomes: pa.Table, outcomes_path: Path) -> pa.Table:
    """The legal family: task_id, team_id and optionally workers, n_workers, canonical_rank.

    Raises
    ------
    InputError : a file that is no such table, a row twice, an outcome of a team outside of it
    """
    found = read_foreign(path, _FAMILY)
    columns = {name: values.identifiers(found, name) for name in ("task_id", "team_id")}
    columns |= {
        name: values.integers(found, name) for name in ("n_workers", "canonical_rank") if found.has(name)
    }
    if found.has("workers") and pa.types.is_list(found.table["workers"].type):
        columns["workers"] = found.table["workers"]
    table = pa.table(columns)
    _check_once(found, table, ("task_id", "team_id"))
    _check_inside(outcomes, outcomes_path, table, path)
    return table


def _statuses(found: Foreign) -> pa.ChunkedArray:
    status = pc.fill_null(values.optional_text(found, "status"), STATUS_OK)
    known = values.mask(pc.is_in(status, value_set=pa.array(_STATUS)))
    if not known.all():
        row = int(np.argmin(known))
        word = status[row].as_py()
        close = get_close_matches(word.strip().lower(), _STATUS, 1)
        hint = f"write {close[0]}" if close else "missing: the machine failed; invalid_run: the model failed"
        values.fail(found, "status", row, f"{', '.join(_STATUS)} or nothing", repr(word), hint)
    return status


def _outcomes(found: Foreign, status: pa.ChunkedArray) -> pa.Array:
    """Values in [0, 1] where the status is ok; others may be null."""
    value = values.numbers(found, "outcome", logical=True)
    counts = values.mask(pc.equal(status, STATUS_OK))
    wrong = counts & ~((value >= 0) & (value <= 1))
    if wrong.any():
        _no_outcome(found, int(np.argmax(wrong)), value)
    return pa.array(value, mask=np.isnan(value))


def _no_outcome(found: Foreign, row: int, value: FloatArray) -> NoReturn:
    task, team = (values.text(found, name)[row].as_py() for name in ("task_id", "team_id"))
    shown, hint = f"{value[row]:g}", "scale the outcome to [0, 1]"
    if np.isnan(value[row]):
        shown = "nothing, with status ok"
        hint = "write the outcome, or the status missing (machine failed) or invalid_run (model failed)"
    elif np.nanmin(value) >= 0 and np.nanmax(value) <= 100:
        hint = f"if the column holds percentages, divide it by 100: {value[row] / 100:g} for {shown}"
    where = f"{found.place(row, 'outcome')} (task {task!r}, team {team!r})"
    raise InputError(where, "an outcome in [0, 1]", shown, hint)


def _replicates(found: Foreign) -> pa.Array | pa.ChunkedArray:
    """Numbers where all are, so that they sort as such; else text."""
    names = values.identifiers(found, "replicate")
    return (
        pc.cast(names, pa.int64())
        if pc.all(pc.match_substring_regex(names, r"^\d{1,18}$")).as_py()
        else names
    )


def source_ids(found: Foreign) -> pa.ChunkedArray:
    """Source ids as text or lists of text, null where blank."""
    column = found.table["source_id"]
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return _named(values.text(found, "source_id"))
    lists = [
        None if cell is None else [str(name) for name in cell if name is not None]
        for cell in column.to_pylist()
    ]
    kept = [None if cell is None else [name for name in cell if name.strip()] or None for cell in lists]
    return pa.chunked_array([pa.array(kept, pa.list_(pa.string()))])


def _named(names: pa.ChunkedArray) -> pa.ChunkedArray:
    word = pc.utf8_lower(pc.utf8_trim_whitespace(names))
    return pc.if_else(pc.is_in(word, value_set=values.NOTHING), pa.scalar(None, pa.string()), names)


def _check_once(found: Foreign, table: pa.Table, names: tuple[str, ...]) -> None:
    twice = repeated(keys(table, names))
    if twice is None:
        return
    first, again = twice
    named = [name for name in names if found.has(name)]
    spelled = ", ".join(f"{name} {table[name][again].as_py()!r}" for name in named)
    where, told = found.place(again), f"{spelled} again, after {found.short_place(first)}"
    hint = f"delete {found.short_place(again)}"
    if "replicate" in names:
        hint += ", or number repeated runs in a column replicate"
    raise InputError(where, f"each {', '.join(named)} once", told, hint)


def _check_inside(outcomes: pa.Table, outcomes_path: Path, family: pa.Table, path: Path) -> None:
    outside = ~inside(outcomes, family)
    if outside.any():
        row = int(np.argmax(outside))
        task, team = (outcomes[name][row].as_py() for name in ("task_id", "team_id"))
        raise InputError(
            f"{outcomes_path}: row {row + 1} (task {task!r}, team {team!r})",
            f"a team that {path} lists for the task",
            "no such row" + such(int(outside.sum()), "outcome"),
            f"add the row {task},{team} to {path}, or delete the outcome",
        )


def such(rows: int, what: str) -> str:
    """How many more of a kind there are, in brackets; nothing for a single one."""
    return f" ({rows} such {what}s)" if rows > 1 else ""


def inside(rows: pa.Table, family: pa.Table) -> npt.NDArray[np.bool_]:
    """Which rows have a (task_id, team_id) of the family."""
    pair = ["task_id", "team_id"]
    both = pa.concat_tables([family.select(pair), rows.select(pair)])
    key = keys(both, ("task_id", "team_id"))
    return np.isin(key[family.num_rows :], key[: family.num_rows])


def _check_sources(found: Foreign, table: pa.Table) -> None:
    """Every row of a task names the same sources; blank cells say nothing."""
    text = _joined(table["source_id"])
    told = np.flatnonzero(values.mask(pc.is_valid(text)))
    task, source = codes(table["task_id"])[told], codes(text)[told]
    first = np.full(int(task.max(initial=-1)) + 1, -1)
    first[task[::-1]] = told[::-1]
    differs = np.flatnonzero(source != codes(text)[first[task]])
    if not differs.size:
        return
    row = int(told[differs[0]])
    before = int(first[task[differs[0]]])
    name, other = (table["source_id"][place].as_py() for place in (row, before))
    raise InputError(
        found.place(row, "source_id"),
        f"one source for the task {table['task_id'][row].as_py()!r} in all its rows",
        f"{name!r} here, {other!r} in {found.short_place(before)}",
        "write the same source in both; several sources of a task are a list in one JSON or Parquet cell",
    )


def _joined(sources: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_string(sources.type):
        return sources
    spelled = [None if cell is None else "\x1f".join(sorted(set(cell))) for cell in sources.to_pylist()]
    return pa.chunked_array([pa.array(spelled, pa.string())])
