"""The trace tables: what one confidence-routed deliberation leaves behind, with schema and version.

A trace folder holds one Parquet file per table and ``trace.json``. Every audit needs ``polls`` and
``blocks``; a missing table makes its metrics unmeasurable, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.errors import InputError
from routeaudit.tables import TableSchema, read_json, read_table, schema, write_json, write_table

TRACE_VERSION = "1"

_STR, _INT, _FLOAT, _BOOL = pa.string(), pa.int64(), pa.float64(), pa.bool_()
_TURN = ("trace", "round", "turn")

# One row per poll of all agents. `public_seen` lists the speak events ("round.turn") that were visible in it.
BLOCKS = schema(
    "traces/blocks",
    _TURN,
    trace=_STR,
    round=_INT,
    turn=_INT,
    problem_uid=_STR,
    tier=(_STR, "null"),
    difficulty=(_FLOAT, "null"),
    incumbent=(_STR, "null"),
    incumbent_event=(_STR, "null"),
    public_seen=pa.list_(_STR),
)

# `agent_order` is the order in which the router saw the polls; an unparsed poll has no score.
POLLS = schema(
    "traces/polls",
    (*_TURN, "agent"),
    trace=_STR,
    round=_INT,
    turn=_INT,
    agent=_STR,
    agent_order=_INT,
    score_raw=(_FLOAT, "null"),
    parse_ok=_BOOL,
    has_candidate=_BOOL,
    answer=(_STR, "null"),
    answer_norm=(_STR, "null"),
    correct=(_BOOL, "null"),
    intent=(_STR, "null"),
    reason=(_STR, "null"),
    private_note=(_STR, "null"),
    seen_digest=(_STR, "null"),
    request_key=(_STR, "null"),
)

SELECTIONS = schema("traces/selections", _TURN, trace=_STR, round=_INT, turn=_INT, agent=_STR, rule=_STR)

# `divergent` compares the spoken with the polled answer; `divergence_source` says who decided: rule or judge.
SPEAKS = schema(
    "traces/speaks",
    _TURN,
    trace=_STR,
    round=_INT,
    turn=_INT,
    agent=_STR,
    text=(_STR, "null"),
    spoken_valid=_BOOL,
    spoken=(_STR, "null"),
    spoken_norm=(_STR, "null"),
    spoken_correct=(_BOOL, "null"),
    divergent=(_BOOL, "null"),
    divergence_source=(_STR, "null"),
    match_self=(_BOOL, "null"),
    match_incumbent=(_BOOL, "null"),
    match_peer=(_BOOL, "null"),
    seen_digest=(_STR, "null"),
    request_key=(_STR, "null"),
)

APPROVALS = schema(
    "traces/approvals",
    ("trace", "round", "approval_round", "agent"),
    trace=_STR,
    round=_INT,
    approval_round=_INT,
    agent=_STR,
    candidate_norm=(_STR, "null"),
    approve=(_BOOL, "null"),
)

# Verdicts of one judge on the pairs that no rule decided: divergent, equivalent or undecided.
VERDICTS = schema(
    "traces/verdicts", (*_TURN, "judge"), trace=_STR, round=_INT, turn=_INT, judge=_STR, verdict=_STR
)

# One row per run: the broadcast itself and, where they were run, the baseline modes on the same problem.
OUTCOMES = schema(
    "traces/outcomes",
    ("trace", "mode"),
    trace=_STR,
    mode=_STR,
    problem_uid=_STR,
    tier=(_STR, "null"),
    passed=(_BOOL, "null"),
    answer_norm=(_STR, "null"),
    rounds=(_INT, "null"),
    calls=(_INT, "null"),
    tokens=(_INT, "null"),
    seconds=(_FLOAT, "null"),
)

BROADCAST, SINGLE_AGENT, BASELINE = "broadcast", "single_agent", "baseline_llm"
DIVERGENT, EQUIVALENT, UNDECIDED = "divergent", "equivalent", "undecided"

SCHEMAS: dict[str, TableSchema] = {
    "blocks": BLOCKS,
    "polls": POLLS,
    "selections": SELECTIONS,
    "speaks": SPEAKS,
    "approvals": APPROVALS,
    "verdicts": VERDICTS,
    "outcomes": OUTCOMES,
}


@dataclass(frozen=True)
class TraceMeta:
    """What the tables cannot say of themselves.

    score_scale : the score that means certainty (100 in the paper)
    protocol : fields of the audit card, and where known ``stages`` (rows of stage, visible, output, role: the
        paper's table 7) and ``knobs`` (setting -> value: table 8)
    lacks : stage -> what the source does not have, as its importer found
    """

    score_scale: float
    protocol: dict[str, Any] = field(default_factory=dict)
    lacks: dict[str, str] = field(default_factory=dict)
    evidential_status: str = "descriptive"
    schema_version: str = TRACE_VERSION


@dataclass(frozen=True)
class Trace:
    """All tables of a set of traces; None where a stage was not recorded."""

    meta: TraceMeta
    blocks: pa.Table
    polls: pa.Table
    selections: pa.Table | None = None
    speaks: pa.Table | None = None
    approvals: pa.Table | None = None
    verdicts: pa.Table | None = None
    outcomes: pa.Table | None = None

    def tables(self) -> dict[str, pa.Table]:
        """The recorded tables by name."""
        found = {name: getattr(self, name) for name in SCHEMAS}
        return {name: table for name, table in found.items() if table is not None}


def write_trace(folder: Path, trace: Trace) -> None:
    """Write every recorded table and ``trace.json`` into ``folder``."""
    for name, table in trace.tables().items():
        write_table(folder / f"{name}.parquet", table, SCHEMAS[name])
    write_json(folder / "trace.json", {f.name: getattr(trace.meta, f.name) for f in fields(TraceMeta)})


def read_trace(folder: Path) -> Trace:
    """Read a trace folder.

    Raises
    ------
    InputError : no ``trace.json``, another schema version, a needed table absent, a table off its schema
    """
    meta = _read_meta(folder / "trace.json")
    for name in ("blocks", "polls"):
        if not (folder / f"{name}.parquet").exists():
            raise InputError(
                str(folder), f"{name}.parquet", "no such file", "record or import the trace again"
            )
    found = {name: folder / f"{name}.parquet" for name in SCHEMAS}
    tables = {name: read_table(path, SCHEMAS[name]) for name, path in found.items() if path.exists()}
    return Trace(meta=meta, **tables)


def _read_meta(path: Path) -> TraceMeta:
    if not path.exists():
        raise InputError(str(path), "trace.json beside the tables", "no such file", "name the trace folder")
    values = read_json(path)
    known = {f.name for f in fields(TraceMeta)}
    if not isinstance(values, dict) or set(values) - known or "score_scale" not in values:
        raise InputError(
            str(path),
            f"an object with keys from {sorted(known)}",
            str(values)[:200],
            "import the trace again",
        )
    if values.get("schema_version") != TRACE_VERSION:
        found = str(values.get("schema_version"))
        raise InputError(str(path), f"schema_version {TRACE_VERSION}", found, "import the trace again")
    return TraceMeta(**values)
