"""The adaptive default: which interval and which p-value a mean gets (statistics.md section D, section 0
items 5 and 7).

One default each. The clause that fired is printed beside the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.inference.plan import Kind

FEW_CLUSTERS = 40
FLAG_CLUSTERS = 10
LARGE_T = 100
SMALL_T = 30
ENOUGH_INFORMATIVE = 20


@dataclass(frozen=True)
class Choice:
    """``interval`` is the headline, ``companions`` are printed beside it, ``p`` decides a test."""

    interval: str
    companions: tuple[str, ...]
    p: str
    rule: str


def choose(*, kind: Kind, binary: bool, clustered: bool, units: int, informative: int) -> Choice:
    """The default for ``units`` resampling units of which ``informative`` differ from the trivial value."""
    if clustered:
        return _clustered(units)
    p = "mcnemar" if binary else "studentized"
    if units >= LARGE_T and informative >= ENOUGH_INFORMATIVE:
        return Choice("percentile", ("expanded_percentile",), p, "T>=100, n_eff>=20")
    if binary and kind == "difference":
        return Choice("agresti_min", (), p, "binary difference, T<100 or n_eff<20")
    if binary:
        return Choice("wilson", ("clopper_pearson",), p, "binary rate, T<100 or n_eff<20")
    if units >= SMALL_T:
        return Choice("studentized", ("student_t",), p, "graded, T<100 or n_eff<20")
    if kind == "difference":
        return Choice(
            "expanded_percentile", ("student_t", "gaffke"), p, "graded difference, T<30: approximate"
        )
    return Choice("gaffke", ("expanded_percentile",), p, "graded rate, T<30: finite-sample")


def _clustered(units: int) -> Choice:
    if units < FEW_CLUSTERS:
        return Choice("cluster_t", (), "cluster_t", "repeated source ids, G<40: CR1 with t_{G-1}")
    rule = "repeated source ids, G>=40"
    return Choice("percentile", ("cluster_t",), "cluster_studentized", rule)
