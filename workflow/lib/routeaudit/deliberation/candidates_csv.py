"""One CSV of candidates as a trace without a speak stage."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from routeaudit.deliberation.trace import BLOCKS, POLLS, SELECTIONS, Trace, TraceMeta
from routeaudit.errors import InputError

REQUIRED = ("problem_uid", "agent", "score", "correct")
OPTIONAL = ("block", "tier", "difficulty", "answer", "parse_ok", "selected")
_TRUE, _FALSE = {"1", "true", "t", "yes", "1.0"}, {"0", "false", "f", "no", "0.0"}


def read_candidates(path: Path, scale: float | None) -> Trace:
    """Trace of a CSV with one candidate per row.

    Columns: problem_uid, agent, score, correct; and optionally block (else a block is all rows of a problem),
    tier, difficulty, answer, parse_ok, selected. Agents of a block are seen in row order. An empty score is
    an unparsed poll, an empty correct an unknown label.

    Raises
    ------
    InputError : missing columns, unreadable values, or no ``scale``
    """
    rows = _rows(path)
    if scale is None:
        top = max((row["score"] for row in rows if row["score"] is not None), default=float("nan"))
        raise InputError(
            str(path),
            "the score that means certainty",
            f"no scale; the highest score is {top:g}",
            "pass --scale 100, --scale 10 or --scale 1",
        )
    orders: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row["problem_uid"], row["block"])
        row["agent_order"] = orders.get(key, 0)
        orders[key] = row["agent_order"] + 1
    logged = any(row["selected"] for row in rows)
    return Trace(
        meta=TraceMeta(score_scale=scale, lacks={"speaks": f"{path.name} is a table of candidates"}),
        blocks=BLOCKS.from_rows(_block_rows(rows), str(path)),
        polls=POLLS.from_rows([_poll_row(row) for row in rows], str(path)),
        selections=SELECTIONS.from_rows(_selected(rows), str(path)) if logged else None,
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            found = set(reader.fieldnames or ())
            missing = [name for name in REQUIRED if name not in found]
            if missing:
                raise InputError(
                    str(path),
                    f"columns {', '.join(REQUIRED)} and optionally {', '.join(OPTIONAL)}",
                    f"no column {', '.join(missing)}",
                    "rename the columns",
                )
            return [_row(path, line, raw) for line, raw in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(str(path), "a readable CSV file", str(error), "name a UTF-8 CSV file") from None


def _row(path: Path, line: int, raw: dict[str, Any]) -> dict[str, Any]:
    where = f"{path}:{line}"
    score = _number(where, "score", raw.get("score"))
    return {
        "problem_uid": _needed(where, "problem_uid", raw),
        "block": raw.get("block") or raw["problem_uid"],
        "agent": _needed(where, "agent", raw),
        "score": score,
        "correct": _flag(where, "correct", raw.get("correct")),
        "tier": raw.get("tier") or None,
        "difficulty": _number(where, "difficulty", raw.get("difficulty")),
        "answer": raw.get("answer") or None,
        "parse_ok": score is not None and _flag(where, "parse_ok", raw.get("parse_ok")) is not False,
        "selected": _flag(where, "selected", raw.get("selected")) is True,
    }


def _needed(where: str, name: str, raw: dict[str, Any]) -> str:
    if not raw.get(name):
        raise InputError(f"{where}, column {name!r}", "a value", "nothing", "fill it or drop the row")
    return str(raw[name])


def _number(where: str, name: str, text: str | None) -> float | None:
    if text is None or not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{where}, column {name!r}", "a number or nothing", repr(text), "leave it empty if unknown"
        )
    return value


def _flag(where: str, name: str, text: str | None) -> bool | None:
    word = (text or "").strip().lower()
    if not word:
        return None
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise InputError(
        f"{where}, column {name!r}", "0, 1, true, false or nothing", repr(text), "recode the column"
    )


def _key(row: dict[str, Any]) -> dict[str, Any]:
    same = row["block"] == row["problem_uid"]
    trace = row["problem_uid"] if same else f"{row['problem_uid']}/{row['block']}"
    return {"trace": trace, "round": 0, "turn": 0}


def _block_rows(rows: list[dict[str, Any]]) -> list[dict[str, object]]:
    empty: dict[str, object] = {"incumbent": None, "incumbent_event": None, "public_seen": []}
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        key = _key(row)
        told = {name: row[name] for name in ("problem_uid", "tier", "difficulty")}
        found.setdefault(key["trace"], {**key, **told, **empty})
    return list(found.values())


def _poll_row(row: dict[str, Any]) -> dict[str, object]:
    untold = dict.fromkeys(("intent", "reason", "private_note", "seen_digest", "request_key"))
    return {
        **_key(row),
        "agent": row["agent"],
        "agent_order": row["agent_order"],
        "score_raw": row["score"],
        "parse_ok": row["parse_ok"],
        "has_candidate": True,
        "answer": row["answer"],
        "answer_norm": row["answer"],
        "correct": row["correct"],
        **untold,
    }


def _selected(rows: list[dict[str, Any]]) -> list[dict[str, object]]:
    return [{**_key(row), "agent": row["agent"], "rule": "as logged"} for row in rows if row["selected"]]
