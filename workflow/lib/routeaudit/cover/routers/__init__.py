"""Routers: small classes with a declared information set that choose one legal team per task."""

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, ScoringRouter
from routeaudit.cover.routers.material import PrivateLabels, Training, View
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView, Team

__all__ = [
    "Corpus",
    "Fitted",
    "InformationSet",
    "PrivateLabels",
    "Route",
    "Router",
    "ScoringRouter",
    "TaskView",
    "Team",
    "Training",
    "View",
]
