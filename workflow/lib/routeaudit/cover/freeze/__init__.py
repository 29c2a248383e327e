"""Freeze routes: every declared router fits and routes in its own process, confined by the kernel."""

from routeaudit.cover.freeze.assignment import Assignment, assign_folds, crossfit_assignment
from routeaudit.cover.freeze.freezing import Confinement, FrozenRoutes, freeze, freeze_each
from routeaudit.cover.freeze.inputs import PublicTables, TrainingTables

__all__ = [
    "Assignment",
    "Confinement",
    "FrozenRoutes",
    "PublicTables",
    "TrainingTables",
    "assign_folds",
    "crossfit_assignment",
    "freeze",
    "freeze_each",
]
