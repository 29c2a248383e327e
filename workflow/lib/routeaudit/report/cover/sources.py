"""Where the tasks come from, how they were split, and what could leak between the splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, definitions, html_table, number, numeric, text


def section(study: Study) -> Section:
    """Kept and dropped records, splits by source component, leakage report."""
    parts = [_splits(study), _inventory(study), _leakage(study)]
    return Section("tasks", "Tasks, splits and leakage", Markup("").join(parts))


def _splits(study: Study) -> Markup:
    index = study.index
    rows = [
        {
            "split": split,
            "tasks": len(part),
            "components": part["cluster_id"].nunique(),
            "largest": int(part["cluster_id"].value_counts().max()),
        }
        for split, part in index.groupby("split")
    ]
    columns = [
        Column("split", "split"),
        numeric("tasks", "tasks", count),
        numeric("components", "components", count, "groups of tasks connected through a shared source id"),
        numeric("largest", "largest component", count),
    ]
    shared = index.groupby("cluster_id")["split"].nunique()
    across = int((shared > 1).sum())
    said = (
        paragraph("Tasks that share a source, directly or through others, stay on one side of the split.")
        if across == 0
        else note(f"{count(across)} components lie on more than one side of the split.", "refused")
    )
    return said + html_table(columns, rows, "Splits by source component.", study.source("index/tasks.parquet"))


def _inventory(study: Study) -> Markup:
    told = study.document("source/inventory.json")
    if not told:
        return Markup("")
    rows = [{"what": "kept", "n": len(study.index)}]
    rows += [{"what": f"dropped: {reason}", "n": n} for reason, n in sorted(told.get("dropped", {}).items())]
    rows.append({"what": "records in the source", "n": told.get("total")})
    columns = [Column("what", "records"), numeric("n", "number", count)]
    caption = "Records kept and dropped."
    return html_table(
        columns, rows, caption, study.source("source/inventory.json"), lambda row: row["what"] == "records in the source"
    )


def _leakage(study: Study) -> Markup:
    told = study.document("leakage.json")
    if not told:
        return note("No leakage report lies in this study's folder.", "caution")
    short = {plain(key): _word(value) for key, value in told.items() if not _long(value)}
    parts = [Markup("<h3>Leakage report</h3>"), definitions(short)]
    parts += [folded(_counted(key, value), _listed(value)) for key, value in told.items() if _long(value)]
    parts.append(Markup('<p class="source">from <code>{}</code></p>').format(study.path("leakage.json")))
    return Markup("").join(parts)


def _long(value: Any) -> bool:
    return isinstance(value, list | dict) and len(value) > 6


def _counted(key: str, value: Any) -> str:
    return f"{plain(key).capitalize()}: {count(len(value))}"


def _word(value: Any) -> str:
    """A short value of a JSON report in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{plain(str(key))}: {_word(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_word(each) for each in value) or "none"
    return text(value)


def _listed(value: Any) -> Markup:
    pairs = list(value.items()) if isinstance(value, Mapping) else list(enumerate(value, 1))
    shown = definitions({str(key): _word(each) for key, each in pairs[:50]})
    rest = paragraph(f"and {count(len(pairs) - 50)} more in the file") if len(pairs) > 50 else Markup("")
    return shown + rest
