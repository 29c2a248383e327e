"""What the study asked of its models: requests planned, distinct and sent, tokens, seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from routeaudit.report.cover import playing
from routeaudit.report.cover.study import Study
from routeaudit.report.page import Section, paragraph
from routeaudit.report.tables import Column, count, duration, html_table, numeric, percent
from routeaudit.tables import TableSchema, artifacts

_PHASES = {"train": "training", "heldout": "held-out"}
_KINDS: Mapping[str, tuple[str, str, TableSchema]] = {
    "worker": ("worker_requests", "messages.parquet", artifacts.MESSAGES),
    "finalizer": ("finalizer_requests", "finals.parquet", artifacts.FINALS),
}


def section(study: Study) -> Section:
    """Requests by phase, stack and kind, then tokens and time; or plays."""
    if study.played:
        return playing.section(study)
    if not study.sections["stacks"]:
        said = paragraph("No model was asked: the endpoints of this study are read from its files.")
        return Section("cost", "Requests, tokens and time", said)
    rows = [row for phase in _PHASES for stack in study.stacks for row in _rows(study, phase, stack)]
    return Section(
        "cost", "Requests, tokens and time", _introduction(rows) + _requests(study, rows) + _time(study)
    )


def _introduction(rows: list[dict[str, Any]]) -> Markup:
    naive, distinct = sum(row["naive"] for row in rows), sum(row["distinct"] for row in rows)
    saved = 1 - distinct / naive if naive else 0.0
    return paragraph(
        "A worker's message depends on task, worker and stack, not on the team, so each is asked once "
        "however many teams it serves; identical texts are one request. Asking cell by cell would have "
        f"taken {count(naive)} requests; {count(distinct)} were distinct ({percent(saved)} saved)."
    )


def _rows(study: Study, phase: str, stack: str) -> list[dict[str, Any]]:
    if not study.has(f"{phase}/{stack}/messages.parquet"):
        return []
    plan = study.table(f"{phase}/plan.parquet", artifacts.PLAN)
    told = execution(study, phase, stack)
    planned = {"worker": int(plan["workers"].map(len).sum()), "finalizer": len(plan)}
    return [_row(study, phase, stack, kind, planned[kind], told) for kind in _KINDS]


def _row(
    study: Study, phase: str, stack: str, kind: str, planned: int, told: Mapping[str, Any]
) -> dict[str, Any]:
    section_name, file, schema = _KINDS[kind]
    table = study.table(f"{phase}/{stack}/{file}", schema)
    once: pd.DataFrame = table.drop_duplicates("request_key")
    spent: Mapping[str, Any] = told.get(section_name, {})
    replicates = max(int(table["replicate"].nunique()), 1)
    return {
        "phase": _PHASES[phase],
        "stack": stack,
        "kind": kind,
        "naive": planned * replicates,
        "distinct": len(once),
        "sent": spent.get("sent"),
        "reused": spent.get("reused"),
        "invalid": int((once["status"] == artifacts.STATUS_INVALID).sum()),
        "missing": int((once["status"] == artifacts.STATUS_MISSING).sum()),
        "prompt": int(once["prompt_tokens"].sum()),
        "completion": int(once["completion_tokens"].sum()),
    }


def execution(study: Study, phase: str, stack: str) -> Mapping[str, Any]:
    """What the shards of one phase of one stack told of themselves; empty where they told nothing."""
    told: dict[str, Any] = {}
    for _, (name, file, _schema) in _KINDS.items():
        accounts = study.accounts(phase, stack, file.split(".")[0])
        if accounts:
            told[name] = {key: sum(account[key] for account in accounts) for key in ("sent", "reused")}
            told["seconds"] = told.get("seconds", 0.0) + sum(account["seconds"] for account in accounts)
    return told


def _requests(study: Study, rows: list[dict[str, Any]]) -> Markup:
    columns = [
        Column("phase", "phase"),
        Column("stack", "stack"),
        Column("kind", "request"),
        numeric("naive", "cell by cell", count, "one request per worker of each team, and one per team"),
        numeric("distinct", "distinct", count, "different requests: what is needed"),
        numeric("sent", "sent", count, "sent in the last run"),
        numeric("reused", "from journal", count, "answered from the journal of earlier runs"),
        numeric("invalid", "invalid", count),
        numeric("missing", "missing", count),
        numeric("prompt", "prompt tokens", count),
        numeric("completion", "answer tokens", count),
    ]
    total = {
        key: sum(row[key] for row in rows)
        for key in ("naive", "distinct", "invalid", "missing", "prompt", "completion")
    }
    shown = [*rows, {"phase": "all", "stack": "", "kind": "", **total, "total": True}]
    caption = "Requests planned and spent; tokens count each distinct request once."
    source = study.source(f"heldout/{study.stacks[0]}/messages.parquet")
    return html_table(columns, shown, caption, source, lambda row: bool(row.get("total")))


def _time(study: Study) -> Markup:
    """Seconds that the models took, where execution told them."""
    told = [
        {"phase": words, "stack": stack, "seconds": execution(study, phase, stack).get("seconds")}
        for phase, words in _PHASES.items()
        for stack in study.stacks
    ]
    known = [row for row in told if row["seconds"] is not None]
    if not known:
        return paragraph("Seconds stand in the journal and in the records; this run left no summary of them.")
    columns = [Column("phase", "phase"), Column("stack", "stack"), numeric("seconds", "time", duration)]
    caption = "Time spent on models for these answers, whichever run generated them."
    return html_table(columns, known, caption)
