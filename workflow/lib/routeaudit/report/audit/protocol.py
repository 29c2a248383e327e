"""The audited protocol on the page: figure 1 and tables 7, 8 and 9."""

from __future__ import annotations

from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.report.audit.words import GLOSSARY
from routeaudit.report.page import Section, folded, fragment, note
from routeaudit.report.tables import Column, definitions, html_table


def section(result: AuditResult) -> Section:
    """What ran: the two answer-bearing calls, what each stage saw, and the settings that matter."""
    protocol = result.meta.protocol
    parts = [_figure(result), _surface(protocol.get("stages")), _knobs(protocol.get("knobs"))]
    glossary = [{"symbol": name, "text": text} for name, text in GLOSSARY.items()]
    columns = [Column("symbol", "symbol"), Column("text", "definition")]
    parts.append(
        folded("Glossary", html_table(columns, glossary, "Metrics of this page (the paper's table 9)."))
    )
    return Section("protocol", "The audited protocol", Markup("").join(parts))


def _figure(result: AuditResult) -> Markup:
    drawn = fragment(
        "routeaudit.report.audit",
        "protocol.svg.j2",
        agents=result.totals.agents,
        rule=str(result.meta.protocol.get("routing_rule", "rule not recorded")),
        spoken=bool(result.commitment),
        judged=bool(result.modes),
    )
    caption = (
        "The audited protocol (after the paper's figure 1). The polled answer only allocates the turn; the "
        "spoken answer enters the public transcript."
    )
    if not (result.commitment and result.modes):
        caption += " Pale dashed stages are missing from this trace."
    return Markup(
        '<figure class="chart"><div class="scroll" tabindex="0">{}</div><figcaption>{}</figcaption></figure>'
    ).format(drawn, caption)


def _surface(stages: object) -> Markup:
    if not isinstance(stages, list) or not stages:
        return note("The trace does not tell what each stage could see (the paper's table 7).", "caution")
    columns = [
        Column("stage", "stage"),
        Column("visible", "visible context"),
        Column("output", "output contract"),
        Column("role", "downstream role"),
    ]
    return html_table(columns, stages, "What each stage sees and returns (the paper's table 7).")


def _knobs(knobs: object) -> Markup:
    if not isinstance(knobs, dict) or not knobs:
        return note("The trace does not tell its settings (the paper's table 8).", "caution")
    spelled = {name: ", ".join(map(str, v)) if isinstance(v, list) else str(v) for name, v in knobs.items()}
    return Markup("<h3>Settings that carry weight (the paper's table 8)</h3>") + definitions(spelled)
