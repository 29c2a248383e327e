"""Which cells were planned and what became of them; every denominator closes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from markupsafe import Markup

from routeaudit.errors import InputError
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Section, note, paragraph
from routeaudit.report.tables import Column, count, html_table, numeric, percent
from routeaudit.tables import artifacts

_PHASES = {"train": "training", "heldout": "held-out"}


def section(study: Study) -> Section:
    """Coverage of both phases, and the cells that are missing."""
    rows = [row for phase in _PHASES for row in _counts(study, phase)]
    columns = [
        Column("phase", "phase"),
        *([Column("stack", "stack")] if len(study.stacks) > 1 else []),
        Column("endpoint", "endpoint"),
        numeric("tasks", "tasks", count),
        numeric("planned", "planned", count),
        numeric("ok", "ok", count),
        numeric("invalid", "invalid", count, "the model failed: empty, cut off, unparsable; scores 0"),
        numeric(
            "missing",
            "missing",
            count,
            "the infrastructure failed, also after retries; bounded, never filled",
        ),
        numeric("share", "of the legal family", percent),
    ]
    table = html_table(
        columns, rows, "Cells: planned = ok + invalid + missing.", study.source("heldout/outcomes.parquet")
    )
    return Section("coverage", "Coverage and denominators", _introduction(study) + table + _missing(study))


def _introduction(study: Study) -> Markup:
    regime = study.regime
    said = paragraph(
        Markup(
            "Regime <code>{}</code>: executed are {}. That identifies {}. A failure of the model is an "
            "outcome and scores 0; a failure of the machine is missing and leaves bounds."
        ).format(regime.name, regime.executed, regime.identified)
    )
    return said + (_saved(study) if regime.name == "route_union" else Markup(""))


def _saved(study: Study) -> Markup:
    """What the union saved, and what contrasts alone would need (cells on which policies differ)."""
    stack = study.stacks[0]
    routes = study.regret[(study.regret["stack"] == stack) & (study.regret["endpoint"] == study.primary)]
    distinct = routes.groupby("task_id")["team_id"].nunique()
    heldout = study.family[study.family["task_id"].isin(distinct.index)]
    return paragraph(
        f"The legal family has {count(len(heldout))} cells; the union of the frozen routes has "
        f"{count(int(distinct.sum()))}, of which {count(int(distinct[distinct > 1].sum()))} lie on tasks "
        "where routers disagree: those alone decide every contrast."
    )


def _counts(study: Study, phase: str) -> list[dict[str, Any]]:
    if not study.has(f"{phase}/outcomes.parquet"):
        return []
    planned = study.table(f"{phase}/plan.parquet", artifacts.PLAN)
    outcomes = (
        study.outcomes if phase == "heldout" else study.table(f"{phase}/outcomes.parquet", artifacts.OUTCOMES)
    )
    family = study.family[study.family["task_id"].isin(set(planned["task_id"]))]
    rows = []
    for (stack, endpoint), cells in outcomes.groupby(["stack", "endpoint"]):
        row = _row(phase, str(stack), str(endpoint), Counter(cells["status"]), len(cells))
        replicates = max(int(cells["replicate"].nunique()), 1)
        _closes(study, row, len(planned) * replicates)
        row |= {"tasks": planned["task_id"].nunique(), "share": len(planned) / max(len(family), 1)}
        rows.append(row)
    return sorted(rows, key=lambda row: (row["stack"], study.endpoints.index(row["name"])))


def _row(phase: str, stack: str, endpoint: str, tally: Counter[str], planned: int) -> dict[str, Any]:
    return {
        "phase": _PHASES[phase],
        "stack": stack,
        "endpoint": plain(endpoint),
        "name": endpoint,
        "planned": planned,
        "ok": tally[artifacts.STATUS_OK],
        "invalid": tally[artifacts.STATUS_INVALID],
        "missing": tally[artifacts.STATUS_MISSING],
    }


def _closes(study: Study, row: dict[str, Any], planned: int) -> None:
    """Hold the table against its plan."""
    told = row["ok"] + row["invalid"] + row["missing"]
    if told != planned or row["planned"] != planned:
        raise InputError(
            f"{study.name}, {row['phase']} outcomes, stack {row['stack']!r}, endpoint {row['name']!r}",
            f"planned = ok + invalid + missing = {planned} cells",
            f"{row['ok']} + {row['invalid']} + {row['missing']} = {told}",
            "run the grade stage again",
        )


def _missing(study: Study) -> Markup:
    cells = study.outcomes
    cells = cells[(cells["endpoint"] == study.primary) & (cells["status"] == artifacts.STATUS_MISSING)]
    if cells.empty:
        return paragraph("No held-out cell is missing.")
    named = ", ".join(f"{row.task_id} {row.team_id} ({row.stack})" for row in cells.head(20).itertuples())
    rest = f" and {count(len(cells) - 20)} more" if len(cells) > 20 else ""
    return note(f"Missing held-out cells: {named}{rest}.", "caution")
