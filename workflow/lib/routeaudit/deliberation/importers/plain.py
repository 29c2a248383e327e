"""Plain JSON lines or CSV with a column map: one row per poll, optionally with the speech of its turn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
from routeaudit.deliberation.importers.reading import flag, number, rows_of
from routeaudit.errors import InputError

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
    names = _names(path, columns or {})
    blocks: dict[tuple[str, int, int], Row] = {}
    polls: list[Row] = []
    selections: list[Row] = []
    speaks: list[Row] = []
    sizes: dict[tuple[str, int, int], int] = {}
    for where, raw in rows_of(path, [names[name] for name in NEEDED]):
        row = {ours: raw.get(theirs) for ours, theirs in names.items()}
        block = _block(row, where)
        key = (block["trace"], block["round"], block["turn"])
        block = blocks.setdefault(key, block)
        sizes[key] = sizes.get(key, -1) + 1
        polls.append(_poll(row, block, sizes[key], where))
        if flag(row["selected"], where):
            selections.append(selection_row(block, polls[-1]["agent"], "as logged"))
        if row["spoken"] or row["speech"]:
            speaks.append(_speech(row, block, where))
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


def _block(row: Mapping[str, Any], where: str) -> Row:
    uid = row["problem_uid"]
    if uid is None or not str(uid).strip():
        raise InputError(where, "a problem_uid", "nothing", "fill it or drop the row")
    return block_row(
        str(row["trace"] or uid),
        str(uid),
        int(number(row["round"], where) or 0),
        int(number(row["turn"], where) or 0),
        tier=None if row["tier"] in (None, "") else str(row["tier"]),
        difficulty=number(row["difficulty"], where),
    )


def _poll(row: Mapping[str, Any], block: Row, order: int, where: str) -> Row:
    score = number(row["score"], where)
    answer = row["answer"]
    parse_ok = score is not None and flag(row["parse_ok"], where) is not False
    text = None if answer in (None, "") else str(answer)
    return poll_row(
        block,
        str(row["agent"]),
        order,
        score_raw=score,
        parse_ok=parse_ok,
        answer=text,
        answer_norm=None if text is None else short_form(text) or text,
        correct=flag(row["correct"], where),
    )


def _speech(row: Mapping[str, Any], block: Row, where: str) -> Row:
    spoken = None if row["spoken"] in (None, "") else str(row["spoken"])
    form = None if spoken is None else short_form(spoken) or spoken
    polled = None if row["answer"] in (None, "") else short_form(str(row["answer"])) or str(row["answer"])
    known = form is not None and polled is not None
    return speak_row(
        block,
        str(row["agent"]),
        text=row["speech"],
        spoken=spoken,
        spoken_norm=form,
        spoken_correct=flag(row["spoken_correct"], where),
        divergent=form != polled if known else None,
        divergence_source="rule" if known else None,
    )
