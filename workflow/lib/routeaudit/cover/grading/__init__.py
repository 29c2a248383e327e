"""From what a team said to outcomes in [0, 1], one endpoint at a time."""

from routeaudit.cover.grading.counts import Counts, counted
from routeaudit.cover.grading.grade import OFFLINE_STACK, grade, grade_offline

__all__ = ["OFFLINE_STACK", "Counts", "counted", "grade", "grade_offline"]
