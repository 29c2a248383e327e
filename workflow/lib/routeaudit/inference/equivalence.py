"""Equivalence by two one-sided tests, and the smallest detectable effect (statistics.md A8)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special


@dataclass(frozen=True)
class Equivalence:
    """Whether |mean| < ``margin`` is shown: ``p`` is the larger of the two one-sided p-values.

    A difference that is not detected is not thereby equivalent; only ``equivalent`` says so.
    """

    margin: float
    p: float
    equivalent: bool
    reason: str = ""


def two_one_sided_tests(
    mean: float, error: float, units: int, margin: float, alpha: float = 0.05
) -> Equivalence:
    """Schuirmann (1987) TOST with t_{units - 1}; ``margin`` must have been declared and be positive."""
    if units < 2 or math.isnan(error):
        return Equivalence(margin, math.nan, False, "one_unit")
    if error == 0:
        inside = abs(mean) < margin
        return Equivalence(margin, 0.0 if inside else 1.0, inside, "zero_variance")
    p = float(special.stdtr(units - 1, (abs(mean) - margin) / error))
    return Equivalence(margin, p, p <= alpha)
