"""One table of candidates as a trace without a speak stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.deliberation.arrays import BoolArray, FloatArray
from routeaudit.deliberation.trace import BLOCKS, POLLS, SELECTIONS, Trace, TraceMeta
from routeaudit.errors import InputError
from routeaudit.tables import TableSchema
from routeaudit.tables.foreign import Foreign, Wanted, read_foreign, values
from routeaudit.tables.foreign.keys import codes, keys, places, repeated

REQUIRED = ("problem_uid", "agent", "score", "correct")
OPTIONAL = ("block", "tier", "difficulty", "answer", "parse_ok", "selected")


def read_candidates(path: Path, scale: float | None) -> Trace:
    """Trace of a table with one candidate per row.

    Columns: problem_uid, agent, score, correct; and optionally block (else a block is all rows of a problem),
    tier, difficulty, answer, parse_ok, selected. Agents of a block are seen in row order. An empty score is
    an unparsed poll, an empty correct an unknown label.

    Raises
    ------
    InputError : missing columns, unreadable values, an agent twice in a block, or no ``scale``
    """
    source = read_foreign(path, Wanted.of(REQUIRED, OPTIONAL))
    score = values.numbers(source, "score", 100 if scale is None else scale)
    if scale is None:
        known = score[~np.isnan(score)]
        raise InputError(
            str(path),
            "the score that means certainty",
            f"no scale; the highest score is {known.max() if known.size else float('nan'):g}",
            "pass --scale 100, --scale 10 or --scale 1",
        )
    rows, selected = _polls(source, score), _selected(source)
    _check_once(source, rows)
    chosen = rows.filter(pa.array(selected)) if selected.any() else None
    return Trace(
        meta=TraceMeta(score_scale=scale, lacks={"speaks": f"{path.name} is a table of candidates"}),
        blocks=_blocks(source, rows),
        polls=_conform(POLLS, rows, path),
        selections=None if chosen is None else _selections(chosen, path),
    )


def _polls(source: Foreign, score: FloatArray) -> pa.Table:
    """The columns of a poll that the file tells, in row order."""
    trace = _traces(source)
    answer = values.optional_text(source, "answer")
    unparsed = np.isnan(score) | _is(source, "parse_ok", False)
    n = source.table.num_rows
    zeros = np.zeros(n, dtype=np.int64)
    return pa.table(
        {
            "trace": trace,
            "round": zeros,
            "turn": zeros,
            "agent": values.identifiers(source, "agent"),
            "agent_order": places(codes(trace)),
            "score_raw": pa.array(score, mask=np.isnan(score)),
            "parse_ok": ~unparsed,
            "has_candidate": np.ones(n, dtype=bool),
            "answer": answer,
            "answer_norm": answer,
            "correct": values.flags(source, "correct"),
        }
    )


def _traces(source: Foreign) -> pa.ChunkedArray:
    """The problem names its only block; further blocks are named after it."""
    problem = values.identifiers(source, "problem_uid")
    block = values.optional_text(source, "block")
    own = pc.or_kleene(pc.is_null(block), pc.equal(block, problem))
    return pc.if_else(own, problem, pc.binary_join_element_wise(problem, block, "/"))


def _is(source: Foreign, name: str, wanted: bool) -> BoolArray:
    if not source.has(name):
        return np.zeros(source.table.num_rows, dtype=bool)
    return values.mask(pc.equal(values.flags(source, name), wanted))


def _selected(source: Foreign) -> BoolArray:
    return _is(source, "selected", True)


def _check_once(source: Foreign, rows: pa.Table) -> None:
    twice = repeated(keys(rows, ("trace", "agent")))
    if twice is None:
        return
    first, row = twice
    told = f"{rows['agent'][row].as_py()!r} again, after {source.short_place(first)}"
    hint = f"delete {source.short_place(row)}, or tell the polls apart in a column block"
    values.fail(source, "agent", row, "each agent once in a block", told, hint)


def _blocks(source: Foreign, rows: pa.Table) -> pa.Table:
    first = pa.array(np.flatnonzero(np.asarray(rows["agent_order"]) == 0))
    n = len(first)
    told = pa.table(
        {
            "problem_uid": values.identifiers(source, "problem_uid"),
            "tier": values.optional_text(source, "tier"),
            "difficulty": _difficulty(source),
        }
    ).take(first)
    empty = {
        "public_seen": pa.ListArray.from_arrays(np.zeros(n + 1, dtype=np.int32), pa.array([], pa.string()))
    }
    every = {name: rows[name].take(first) for name in ("trace", "round", "turn")}
    table = pa.table({**every, **{name: told[name] for name in told.column_names}, **empty})
    return _conform(BLOCKS, table, source.path)


def _difficulty(source: Foreign) -> pa.Array:
    if not source.has("difficulty"):
        return pa.nulls(source.table.num_rows, pa.float64())
    found = values.numbers(source, "difficulty")
    return pa.array(found, mask=np.isnan(found))


def _selections(chosen: pa.Table, path: Path) -> pa.Table:
    keyed = chosen.select(["trace", "round", "turn", "agent"])
    rule = pa.array(["as logged"] * chosen.num_rows)
    return _conform(SELECTIONS, keyed.append_column("rule", rule), path)


def _conform(schema: TableSchema, table: pa.Table, path: Path) -> pa.Table:
    """The table with every column of its schema; those that a table of candidates lacks are null."""
    for field in schema.fields:
        if field.name not in table.column_names:
            table = table.append_column(field.name, pa.nulls(table.num_rows, field.type))
    return schema.conform(table, str(path))
