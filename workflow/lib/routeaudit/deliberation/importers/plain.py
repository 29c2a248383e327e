"""A plain table with a column map: one row per poll, optionally with the speech of its turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from routeaudit.deliberation.arrays import FloatArray
from routeaudit.deliberation.equivalence.normalise import short_form
from routeaudit.deliberation.importers.base import (
    NO_OUTCOMES,
    NO_SELECTION,
    NO_SPEAKS,
    Imported,
    Row,
    block_row,
    invalid_polls,
    poll_row,
    selection_row,
    speak_row,
    trace_of,
)
from routeaudit.errors import InputError
from routeaudit.tables.foreign import Wanted, read_foreign, values

NEEDED = ("problem_uid", "agent", "score")
OPTIONAL = (
    "trace",
    "round",
    "turn",
    "tier",
    "difficulty",
    "parse_ok",
    "answer",
    "correct",
    "selected",
    "spoken",
    "spoken_correct",
    "speech",
)


def import_plain(path: Path, scale: float, columns: Mapping[str, str] | None = None) -> Imported:
    """The trace of a table of polls.

    Parameters
    ----------
    scale : the score that means certainty
    columns : our name -> the file's name, where they differ. Needed: problem_uid, agent, score. Optional:
        trace, round, turn, tier, difficulty, parse_ok, answer, correct, selected, spoken,
        spoken_correct, speech. Agents of a block are seen in row order.

    Raises
    ------
    InputError : a name that is none of ours, a needed column that the file lacks, a value of the wrong kind
    """
    blocks: dict[tuple[str, int, int], Row] = {}
    polls: list[Row] = []
    selections: list[Row] = []
    speaks: list[Row] = []
    sizes: dict[tuple[str, int, int], int] = {}
    for row in _rows(path, scale, columns or {}):
        block = block_row(
            *(row[name] for name in ("trace", "problem_uid", "round", "turn")),
            tier=row["tier"],
            difficulty=row["difficulty"],
        )
        key = (block["trace"], block["round"], block["turn"])
        block = blocks.setdefault(key, block)
        sizes[key] = sizes.get(key, -1) + 1
        polls.append(_poll(row, block, sizes[key]))
        if row["selected"]:
            selections.append(selection_row(block, row["agent"], "as logged"))
        if row["spoken"] is not None or row["speech"] is not None:
            speaks.append(_speech(row, block))
    tables = {"blocks": list(blocks.values()), "polls": polls, "selections": selections, "speaks": speaks}
    kept = {name: rows for name, rows in tables.items() if rows or name in ("blocks", "polls")}
    lacks = {"selections": NO_SELECTION, "speaks": NO_SPEAKS, "answers": "no answer column"}
    lacks = {name: why for name, why in lacks.items() if not _recorded(name, kept)}
    trace = trace_of(kept, scale, {**lacks, "outcomes": NO_OUTCOMES})
    return Imported(trace, {"polls": len(polls), "blocks": len(blocks)}, invalid_polls(polls, scale))


def _recorded(name: str, tables: Mapping[str, list[Row]]) -> bool:
    if name == "answers":
        return any(row["answer"] is not None for row in tables["polls"])
    return name in tables


def _rows(path: Path, scale: float, columns: Mapping[str, str]) -> Iterator[Row]:
    """Rows under our names with values of our types; None where a cell says nothing."""
    wanted = Wanted(_names(path, columns), frozenset(NEEDED), "pass --columns {ours}={theirs}")
    source = read_foreign(path, wanted)
    typed: dict[str, Iterable[Any]] = {
        "problem_uid": values.identifiers(source, "problem_uid").to_pylist(),
        "agent": values.identifiers(source, "agent").to_pylist(),
        "score": _known(values.numbers(source, "score", scale)),
        **{name: values.optional_text(source, name).to_pylist() for name in _TEXT},
        **{name: values.flags(source, name).to_pylist() for name in _FLAGS if source.has(name)},
        **{name: values.integers(source, name).to_pylist() for name in _COUNTS if source.has(name)},
    }
    if source.has("difficulty"):
        typed["difficulty"] = _known(values.numbers(source, "difficulty"))
    empty = dict.fromkeys((*NEEDED, *OPTIONAL))
    for cells in zip(*typed.values(), strict=True):
        row = empty | dict(zip(typed, cells, strict=True))
        yield row | {"trace": row["trace"] or row["problem_uid"]} | {n: row[n] or 0 for n in _COUNTS}


_TEXT, _FLAGS = (
    ("trace", "tier", "answer", "spoken", "speech"),
    ("parse_ok", "correct", "selected", "spoken_correct"),
)
_COUNTS = ("round", "turn")


def _known(found: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in found.tolist()]


def _names(path: Path, columns: Mapping[str, str]) -> dict[str, str]:
    unknown = sorted(set(columns) - {*NEEDED, *OPTIONAL})
    if unknown:
        raise InputError(
            f"columns for {path}",
            f"names from {', '.join((*NEEDED, *OPTIONAL))}",
            ", ".join(unknown),
            "write our name first: score=confidence",
        )
    return {name: columns.get(name, name) for name in (*NEEDED, *OPTIONAL)}


def _poll(row: Row, block: Row, order: int) -> Row:
    return poll_row(
        block,
        row["agent"],
        order,
        score_raw=row["score"],
        parse_ok=row["score"] is not None and row["parse_ok"] is not False,
        answer=row["answer"],
        answer_norm=_form(row["answer"]),
        correct=row["correct"],
    )


def _speech(row: Row, block: Row) -> Row:
    form, polled = _form(row["spoken"]), _form(row["answer"])
    known = form is not None and polled is not None
    return speak_row(
        block,
        row["agent"],
        text=row["speech"],
        spoken=row["spoken"],
        spoken_norm=form,
        spoken_correct=row["spoken_correct"],
        divergent=form != polled if known else None,
        divergence_source="rule" if known else None,
    )


def _form(answer: str | None) -> str | None:
    return None if answer is None else short_form(answer) or answer
