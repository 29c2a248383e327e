"""One audit as files: the card as JSON, the card as a page, and the audit's page."""

from __future__ import annotations

from pathlib import Path

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.card import build_card
from routeaudit.report.audit.card import card_page
from routeaudit.report.audit.page import audit_page
from routeaudit.report.page import write_page
from routeaudit.tables import write_json


def write_audit(result: AuditResult, out: Path, title: str) -> None:
    """Write ``card.json``, ``card.html`` and ``audit.html`` into ``out``.

    Raises
    ------
    InputError : the trace's protocol fields do not fit the card; nothing is written then
    """
    card = build_card(result)
    write_json(out / "card.json", card)
    write_page(out / "card.html", card_page(card))
    write_page(out / "audit.html", audit_page(result, card, f"Trace audit of {title}"))
