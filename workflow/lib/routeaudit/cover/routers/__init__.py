"""Routers: small classes with a declared information set that choose one legal team per task."""

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, ScoringRouter
from routeaudit.cover.routers.training import PrivateLabels, Training, read_training
from routeaudit.cover.routers.view import TaskView, Team, View, read_view

__all__ = [
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
    "read_training",
    "read_view",
]
