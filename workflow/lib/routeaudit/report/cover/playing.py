"""What a played study did: cells, distinct plays, actions, and what became of them."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.study import Study
from routeaudit.report.page import Section, paragraph
from routeaudit.report.tables import Column, count, html_table, numeric, percent
from routeaudit.tables import artifacts

_PHASES = {"train": "training", "heldout": "held-out"}


def section(study: Study) -> Section:
    """Plays by phase and stack, and the roles that played."""
    rows = [row for phase in _PHASES for stack in study.stacks for row in _rows(study, phase, stack)]
    columns = [
        Column("phase", "phase"),
        Column("stack", "stack"),
        numeric("cells", "cells", count),
        numeric("plays", "distinct plays", count, "teams whose tools make the role no difference share one"),
        numeric("actions", "actions", count, "tool calls and messages to the user, of distinct plays"),
        numeric("tripped", "plays in a minefield", percent),
        numeric("invalid", "invalid", count, "the model gave no valid action; scores 0"),
        numeric("missing", "missing", count),
    ]
    source = study.source(f"heldout/{study.stacks[0]}/plays.parquet")
    table = html_table(columns, rows, "Plays in ToolSandbox.", source)
    return Section("cost", "Plays", Markup("").join(_role(study, stack) for stack in study.stacks) + table)


_SCRIPTED = (
    "a scripted role, an oracle with allowed tools. It does what ToolSandbox's milestones ask as far as the "
    "selected families' tools permit, and what a minefield punishes where they permit it. It does not read "
    "names and descriptions of tools, so only augmentations that add tools could change what it does"
)


def _role(study: Study, stack: str) -> Markup:
    declared = study.sections["stacks"][stack]["role"]
    model = declared.get("model", {})
    said = f"a language model, {model.get('name') or model.get('model')}" if model else _SCRIPTED
    return paragraph(
        f"Stack {stack} was played by {said}. The user is scripted; ToolSandbox executes and evaluates."
    )


def _rows(study: Study, phase: str, stack: str) -> list[dict[str, Any]]:
    if not study.has(f"{phase}/{stack}/plays.parquet"):
        return []
    cells = study.table(f"{phase}/{stack}/plays.parquet", artifacts.PLAYS)
    plays = cells.drop_duplicates("play")
    row = {
        "phase": _PHASES[phase],
        "stack": stack,
        "cells": len(cells),
        "plays": len(plays),
        "actions": int(plays["actions"].map(len).sum()),
        "tripped": float((plays["minefields"] > 0).mean()),
        "invalid": int((plays["status"] == artifacts.STATUS_INVALID).sum()),
        "missing": int((plays["status"] == artifacts.STATUS_MISSING).sum()),
    }
    return [row]
