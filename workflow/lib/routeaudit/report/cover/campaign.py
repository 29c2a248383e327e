"""The page of a campaign: several studies, one Holm family, the paper's tables beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
from markupsafe import Markup

from routeaudit.cover.scoring.status import Status
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.cover import beside
from routeaudit.report.cover.drawing import MARK_FIELDS, forest, legend, upright
from routeaudit.report.cover.headline import ranking
from routeaudit.report.cover.spelling import Row, difference, ends, level, share, status
from routeaudit.report.cover.study import Study, read_study
from routeaudit.report.cover.words import STATUSES, plain
from routeaudit.report.page import Headline, Page, Section, note, paragraph, render_page
from routeaudit.report.tables import Column, Source, count, html_table, numeric, p_value
from routeaudit.tables import read_table, results

_NOMINAL = (Status.descriptive.name, Status.retrospective.name)


def render_campaign(folders: Sequence[Path], seals: Path, tests: Path | None = None, name: str = "") -> str:
    """The self-contained HTML page of a set of studies.

    Parameters
    ----------
    folders : results folders of the studies, in the order of the page
    seals : the folder of the ledgers
    tests : the campaign's own table of contrasts, whose adjusted p covers all primary tests together; without
        one, each study's own correction is shown and the page says so

    Raises
    ------
    InputError : an artifact is absent or does not follow its schema
    """
    studies = [read_study(folder, seals) for folder in folders]
    family = _Family(studies, tests)
    return render_page(
        Page(
            title=f"Campaign {name}".strip(),
            lead=_lead(studies, family),
            kind="Routing evaluation, several studies",
            headline=_figures(studies, family),
            sections=_sections(studies, family),
            footer={study.name: study.contract["digest"] for study in studies},
        )
    )


class _Family:
    """The primary tests of a campaign, with the study each comes from."""

    def __init__(self, studies: Sequence[Study], tests: Path | None) -> None:
        self.joint = tests is not None
        self.source = Source(tests.as_posix()) if tests else None
        rows: list[Row] = read_table(tests, results.CONTRASTS).to_pylist() if tests else _own(studies)
        self.primary = [row for row in rows if row["family"] == results.FAMILY_PRIMARY]
        self.secondary = [row for row in _own(studies) if row["family"] == results.FAMILY_SECONDARY]


def _own(studies: Sequence[Study]) -> list[Row]:
    return [
        {**row, "contrast": f"{study.name}: {row['contrast']}"}
        for study in studies
        for row in study.contrasts
    ]


def _lead(studies: Sequence[Study], family: _Family) -> Markup:
    held = sum(bool(row["reject"]) for row in family.primary)
    nominal = sum(bool(row["reject"]) and row["status"] in _NOMINAL for row in family.primary)
    said = Markup("{} studies, {} primary tests, {} rejected after Holm {}{}.").format(
        count(len(studies)),
        count(len(family.primary)),
        count(held),
        "over all of them together" if family.joint else "within each study",
        f", {count(nominal)} of them nominally only (retrospective)" if nominal else "",
    )
    best = [_best(study) for study in studies]
    return said + Markup(" Lowest regrets: {}.").format("; ".join(each for each in best if each))


def _best(study: Study) -> str:
    ranked = ranking(study, study.stacks[0])
    if not ranked:
        return ""
    return f"{study.name} {ranked[0]['subject']} {level(ranked[0])} {ends(ranked[0])}"


def _figures(studies: Sequence[Study], family: _Family) -> list[Headline]:
    tasks = sum(study.regret["task_id"].nunique() for study in studies)
    held = sum(bool(row["reject"]) for row in family.primary)
    return [
        Headline("studies", count(len(studies)), ", ".join(study.name for study in studies)),
        Headline("held-out tasks", count(tasks)),
        Headline("primary tests rejected", f"{held} of {len(family.primary)}", "Holm"),
    ]


def _sections(studies: Sequence[Study], family: _Family) -> list[Section]:
    parts = [
        Section("tests", "Declared comparisons", _tests(family)),
        Section("studies", "Studies", _overview(studies)),
    ]
    paper = beside.tables(studies)
    if paper:
        parts.append(Section("paper", "Beside the paper", note(beside.CAUTION, "caution") + paper))
    parts.append(Section("statuses", "What the statuses mean", _statuses()))
    return parts


def _tests(family: _Family) -> Markup:
    rows = [*family.primary, *family.secondary]
    if not rows:
        return note("No study declared a comparison.")
    said = paragraph(
        "One Holm family covers the primary tests of all studies; secondary rows are unadjusted."
        if family.joint
        else "No campaign was sealed for these studies: adjusted p covers one study at a time."
    )
    return said + _chart(rows) + _table(rows, family.source)


def _chart(rows: Sequence[Row]) -> Markup:
    marks = [
        {
            "name": row["contrast"],
            "family": row["family"],
            **{name: row[name] for name in MARK_FIELDS},
            "label": difference(row),
            "words": f"{row['policy']} minus {row['reference']}: {difference(row)} {ends(row)}",
        }
        for row in rows
    ]
    scale = alt.Scale(domain=["primary", "secondary"], range=[PALETTE[0], PALETTE[5]])
    colour = alt.Color("family:N", scale=scale, title=None, legend=legend())
    layers = [*forest(marks, "name", colour, "difference in mean value"), upright([{"at": 0}])]
    drawn = alt.layer(*layers).properties(width=400, height=max(30 * len(marks), 80))
    return figure(drawn, "Declared comparisons of all studies; scales are not compared across instances.")


def _table(rows: Sequence[Row], source: Source | None) -> Markup:
    columns = [
        Column("contrast", "study: comparison"),
        Column("status", "status"),
        numeric("difference", "difference", str),
        numeric("interval", "interval", str),
        numeric("denominator", "tasks", count),
        numeric("p", "raw p", p_value),
        numeric("adjusted", "adjusted p", str),
    ]
    told = [
        {
            **row,
            "difference": difference(row),
            "interval": ends(row),
            "adjusted": p_value(row["p_adjusted"]) if row["adjusted"] else "unadjusted",
            "status": status(row["status"]),
        }
        for row in rows
    ]
    caption = "Declared comparisons; bold where Holm rejects. A p-value of a retrospective line is nominal."
    return html_table(columns, told, caption, source, lambda row: bool(row["reject"]))


def _overview(studies: Sequence[Study]) -> Markup:
    columns = [
        Column("name", "study"),
        Column("regime", "coverage"),
        Column("endpoint", "endpoint"),
        Column("stack", "stack"),
        numeric(
            "reached", "best reachable", str, "oracle under complete coverage, else the best executed team"
        ),
        Column("policy", "best router"),
        numeric("regret", "its regret", str),
        numeric("tasks", "sum / tasks", str),
        Column("status", "status"),
    ]
    rows = [_study_row(study, stack) for study in studies for stack in study.stacks]
    return html_table(
        columns, rows, "Studies of this campaign; each has a page of its own beside its tables."
    )


def _study_row(study: Study, stack: str) -> dict[str, Any]:
    row: Row = next(iter(ranking(study, stack)), {})
    return {
        "name": study.name,
        "regime": plain(study.regime.name),
        "endpoint": plain(study.primary),
        "stack": stack,
        "reached": level(study.score(stack, "oracle", study.regime.best)),
        "policy": row.get("subject", "–"),
        "regret": f"{level(row)} {ends(row)}",
        "tasks": share(row) if row else "–",
        "status": status(row["status"]) if row else "",
    }


def _statuses() -> Markup:
    rows = [{"status": status(word), "meaning": meaning.text} for word, meaning in STATUSES.items()]
    return html_table(
        [Column("status", "status"), Column("meaning", "meaning")], rows, "Evidential statuses."
    )
