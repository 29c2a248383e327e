"""What every importer returns, and the tables it is built from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from routeaudit.deliberation.trace import SCHEMAS, Trace, TraceMeta

Row = dict[str, Any]

NO_SPEAKS = "the source has one confidence and answer per agent and no public speech"
NO_SELECTION = "the source selects nobody"
NO_OUTCOMES = "the source has no final outcome of the group"


@dataclass(frozen=True)
class Listed:
    """A record of the source that is kept but invalid, or left out, and why."""

    where: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """A trace, how many records of each kind the source has, and the records that are invalid or left out."""

    trace: Trace
    counts: Mapping[str, int]
    listed: tuple[Listed, ...]

    def report(self) -> dict[str, Any]:
        """The import as JSON-ready data: what was counted, listed and found lacking."""
        return {
            "counts": dict(self.counts),
            "listed": [{"where": row.where, "reason": row.reason} for row in self.listed],
            "lacks": dict(self.trace.meta.lacks),
        }


def block_row(trace: str, problem_uid: str, round_: int = 0, turn: int = 0, **known: Any) -> Row:
    """A row of ``blocks``; what is not known is null."""
    empty: Row = {
        "tier": None,
        "difficulty": None,
        "incumbent": None,
        "incumbent_event": None,
        "public_seen": [],
    }
    return {"trace": trace, "round": round_, "turn": turn, "problem_uid": problem_uid, **empty, **known}


def poll_row(block: Row, agent: str, order: int, **known: Any) -> Row:
    """A row of ``polls`` in a block; what is not known is null, and a poll without a score did not parse."""
    names = ("score_raw", "answer", "answer_norm", "correct", "intent", "reason", "private_note")
    row = {
        **_key(block),
        "agent": agent,
        "agent_order": order,
        **dict.fromkeys((*names, "seen_digest", "request_key")),
        **known,
    }
    return {"parse_ok": row["score_raw"] is not None, "has_candidate": True, **row}


def speak_row(block: Row, agent: str, **known: Any) -> Row:
    """A row of ``speaks`` in a block; what is not known is null."""
    empty = dict.fromkeys(SCHEMAS["speaks"].fields.names)
    return {
        **empty,
        **_key(block),
        "agent": agent,
        "spoken_valid": known.get("spoken_norm") is not None,
        **known,
    }


def selection_row(block: Row, agent: str, rule: str) -> Row:
    """A row of ``selections``."""
    return {**_key(block), "agent": agent, "rule": rule}


def _key(block: Row) -> Row:
    return {name: block[name] for name in ("trace", "round", "turn")}


def trace_of(
    tables: Mapping[str, Sequence[Row]], scale: float, lacks: Mapping[str, str], **protocol: Any
) -> Trace:
    """A trace from rows; a table that is not named was not recorded by the source."""
    built = {name: SCHEMAS[name].from_rows(list(rows), name) for name, rows in tables.items()}
    told = {name: value for name, value in protocol.items() if value}
    return Trace(meta=TraceMeta(score_scale=scale, protocol=told, lacks=dict(lacks)), **built)


def invalid_polls(polls: Iterable[Row], scale: float) -> tuple[Listed, ...]:
    """Polls that no calibration may use: without a score, or with one outside 0 to `scale`."""
    found = []
    for row in polls:
        where = f"{row['trace']} {row['round']}.{row['turn']} {row['agent']}"
        if row["score_raw"] is None:
            found.append(Listed(where, "no confidence" if row["parse_ok"] else "did not parse"))
        elif not 0 <= row["score_raw"] <= scale:
            found.append(Listed(where, f"score {row['score_raw']:g} outside 0 to {scale:g}"))
    return tuple(found)
