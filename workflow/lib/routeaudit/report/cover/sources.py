"""Where the tasks come from, how they were split, and what could leak between the splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, html_table, number, numeric

_TOTAL = "all"
_LISTED = 30


def section(study: Study) -> Section:
    """Kept and dropped records, the split and its rule, leakage report."""
    parts = [_splits(study), _report(study)]
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
    said = _rule(study.sections["split"], across=int((shared > 1).sum()))
    return said + html_table(
        columns, rows, "Splits by source component.", study.source("index/tasks.parquet")
    )


def _rule(split: Mapping[str, Any], across: int) -> Markup:
    """The declared rule of the split, in words; `across` components lie on more than one side."""
    if split.get("disjoint") == "variant":
        variants = ", ".join(map(plain, split["heldout_variants"]))
        return paragraph(
            f"Rule: variant-disjoint. Held out are all tasks of the variants {variants}; no training task is "
            f"of one of them. Sources are shared by declaration: {count(across)} components lie on both "
            "sides, so this measures a shift of variants, not of sources."
        )
    if across:
        return note(f"{count(across)} components lie on more than one side of the split.", "refused")
    if folds := split.get("crossfit_folds"):
        return paragraph(
            f"Every task is held out and was routed by fits on the other of {folds} folds; tasks that share "
            "a source, directly or through others, are in one fold."
        )
    return paragraph("Tasks that share a source, directly or through others, stay on one side of the split.")


def _report(study: Study) -> Markup:
    """The leakage report: records kept and dropped, questions and passages that both sides share."""
    told = study.document("leakage.json")
    if not told:
        return note("No leakage report lies in this study's folder.", "caution")
    return _records(study, told["records"]) + _shared(study, told)


def _records(study: Study, records: Mapping[str, Any]) -> Markup:
    rows = [{"what": "kept", "n": records["kept"]}]
    rows += [
        {"what": f"dropped: {plain(reason)}", "n": n} for reason, n in sorted(records["dropped"].items())
    ]
    rows.append({"what": _TOTAL, "n": records["total"]})
    columns = [Column("what", "records"), numeric("n", "number", count)]
    caption = "Records of the source, kept and dropped."
    return html_table(columns, rows, caption, study.source("leakage.json"), lambda row: row["what"] == _TOTAL)


def _shared(study: Study, told: Mapping[str, Any]) -> Markup:
    questions, passages = told["questions"], told["passages"]
    near = f"near-duplicates (similarity from {number(questions['near_threshold'], 2)})"
    rows = [
        {"what": "questions: equal", "n": len(questions["exact"])},
        {"what": "questions: equal but for case, punctuation and spaces", "n": len(questions["normalised"])},
        {"what": f"questions: {near}", "n": len(questions["near"])},
        {"what": "required passages on both sides", "n": passages["required_on_both_sides"]},
        {"what": "passages held by any worker on both sides", "n": passages["held_on_both_sides"]},
    ]
    columns = [Column("what", "shared by a training and a held-out task"), numeric("n", "number", count)]
    table = html_table(
        columns, rows, "What the two sides of the split still share.", study.source("leakage.json")
    )
    return table + _pairs(questions["near"])


def _pairs(near: Sequence[Sequence[Any]]) -> Markup:
    """The most similar pairs of questions."""
    if not near:
        return Markup("")
    rows = [
        {"left": left, "right": right, "similarity": similarity}
        for left, right, similarity in sorted(near, key=lambda pair: -pair[2])[:_LISTED]
    ]
    columns = [
        Column("left", "training task"),
        Column("right", "held-out task"),
        numeric("similarity", "similarity"),
    ]
    return folded(
        "The most similar questions", html_table(columns, rows, "Near-duplicates across the split.")
    )
