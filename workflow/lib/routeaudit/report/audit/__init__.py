"""Pages of the trace audit: one per trace, its card, and a grid over several."""

from routeaudit.report.audit.card import card_page
from routeaudit.report.audit.grid import grid_page
from routeaudit.report.audit.page import audit_page
from routeaudit.report.audit.write import write_audit

__all__ = ["audit_page", "card_page", "grid_page", "write_audit"]
