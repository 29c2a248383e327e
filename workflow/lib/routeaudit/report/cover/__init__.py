"""The page of a routing study, and the page of a campaign of studies."""

from routeaudit.report.cover.campaign import render_campaign
from routeaudit.report.cover.page import render_study

__all__ = ["render_campaign", "render_study"]
