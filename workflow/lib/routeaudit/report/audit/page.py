"""The page of one trace audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.report.audit import calibration, commitment, linkage, protocol, routing, sanity, tiers
from routeaudit.report.audit.spelling import ends, pick
from routeaudit.report.page import Headline, Page, Section, note
from routeaudit.report.tables import count, digest, number, signed


def audit_page(result: AuditResult, card: Mapping[str, Any], title: str = "Trace audit") -> Page:
    """Everything that was measured on one set of traces, and what was not."""
    found = [
        protocol.section(result),
        routing.section(result),
        routing.decomposition(result) if result.decomposition else None,
        calibration.section(result),
        commitment.section(result),
        commitment.judges(result),
        tiers.section(result),
        linkage.section(result),
        sanity.nulls(result),
        sanity.checks(result),
        sanity.context(result),
    ]
    sections = [section for section in found if section is not None]
    cautions = Markup("").join(note(text, "caution") for text in card["cautions"])
    if cautions:
        sections.insert(0, Section("cautions", "Before reading", cautions))
    return Page(
        title=title,
        kind=f"Trace audit · evidential status: {card['evidential_status']}",
        lead=_lead(result),
        headline=_headline(result),
        sections=sections,
        footer=_footer(result),
    )


def _lead(result: AuditResult) -> str:
    t = result.totals
    told = (
        f"{count(t.blocks)} poll blocks of {count(t.problems)} problems with {count(t.valid_candidates)} "
        "valid candidates, audited on three separate questions: does the router pick the right candidate, "
        "does stated confidence behave like a probability, does the chosen agent say what it polled."
    )
    return told if result.commitment else told + " The third could not be measured here."


def _headline(result: AuditResult) -> list[Headline]:
    raw = result.calibration.get("raw", ())
    chosen = (
        ("HRWP", result.routing, "correct pick when possible", number),
        ("PCCA", result.routing, "ranking inside a block, 0.5 is none", number),
        ("AUROC", raw, "discrimination over all candidates", number),
        ("ECE", raw, "calibration error of raw scores", number),
        ("NPCS", result.commitment, "correctness shift by speech", signed),
    )
    out = []
    for metric, group, meaning, spell in chosen:
        estimate = pick(group, metric)
        if estimate is not None:
            shown = f"{ends(estimate)} over {count(int(estimate.denominator))} {estimate.unit}"
            out.append(Headline(f"{metric}: {meaning}", spell(estimate.estimate), shown))
    return out


def _footer(result: AuditResult) -> dict[str, Any]:
    s = result.settings
    settings = (
        f"{count(s.resamples)} resamples of problems, level {number(100 * s.level, 0)} %, seed {s.seed}, "
        f"{s.bins} bins, K = {s.calibration_folds}"
    )
    return {"settings": settings, **{f"{name} content": digest(d) for name, d in result.digests.items()}}
