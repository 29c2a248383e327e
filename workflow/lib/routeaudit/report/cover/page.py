"""The page of one study."""

from __future__ import annotations

from pathlib import Path

from altair.utils.schemapi import debug_mode

from routeaudit.report.cover import (
    answers,
    beside,
    board,
    boundary,
    cells,
    comparisons,
    coverage,
    frontier,
    headline,
    levels,
    origin,
    shortcuts,
    sources,
    spending,
    standings,
)
from routeaudit.report.cover.study import Study, read_study
from routeaudit.report.page import Page, Section, render_page


def render_study(folder: Path, seals: Path, description: str = "") -> str:
    """The self-contained HTML page of `results/<study>`; equal artifacts give equal pages.

    Parameters
    ----------
    folder : the study's results folder
    seals : the folder of the ledgers
    description : one or two sentences of the study's owner

    Raises
    ------
    InputError : an artifact is absent, does not follow its schema, or its denominators do not close
    """
    # Altair would check every drawn value, a third of the page's time; tests draw each section with checks.
    with debug_mode(False):
        return render_page(study_page(read_study(folder, seals, description)))


def study_page(study: Study) -> Page:
    """What the page of a study shows."""
    return Page(
        title=f"Which router chose the better teams? Study {study.name}",
        lead=headline.lead(study),
        kind="Routing evaluation",
        headline=headline.figures(study),
        sections=sections(study),
        footer={
            "contract": study.contract["digest"],
            "made from": study.path(""),
            "check": f"routeaudit verify {study.path('').rstrip('/')}",
        },
    )


def sections(study: Study) -> tuple[Section, ...]:
    """The parts of the page: results first, then how they came about."""
    return (
        *board.cautions(study),
        levels.section(study),
        *standings.section(study),
        comparisons.section(study),
        comparisons.criteria(study),
        *beside.section(study),
        boundary.section(study),
        cells.section(study),
        answers.section(study),
        frontier.section(study),
        shortcuts.section(study),
        coverage.section(study),
        spending.section(study),
        boundary.routers(study),
        sources.section(study),
        origin.statuses(study),
        origin.section(study),
    )
