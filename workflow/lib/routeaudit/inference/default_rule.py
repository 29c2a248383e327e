"""The adaptive default: which interval and which p-value a mean gets (statistics.md section D, section 0
items 5 and 7).

One default each. The clause that fired is printed beside the interval. Where this departs from section D, the
measured coverage that made it do so is in docs/decisions/0301-intervals-for-few-units.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.inference.plan import Kind

FEW_CLUSTERS = 40
FLAG_CLUSTERS = 10
LARGE_T = 100
SMALL_T = 30
ENOUGH_INFORMATIVE = 20
FEW_INFORMATIVE = 5


@dataclass(frozen=True)
class Choice:
    """``interval`` is the headline, ``companions`` are printed beside it, ``p`` decides a test."""

    interval: str
    companions: tuple[str, ...]
    p: str
    rule: str


def choose(*, kind: Kind, binary: bool, clustered: bool, units: int, informative: int) -> Choice:
    """The default for ``units`` resampling units; ``informative`` tasks differ from the trivial value."""
    if clustered:
        return _clustered(kind, units, informative)
    p = "mcnemar" if binary else "studentized"
    if units >= LARGE_T and informative >= ENOUGH_INFORMATIVE:
        return Choice("percentile", ("expanded_percentile",), p, "T>=100, n_eff>=20")
    if binary and kind == "difference":
        return Choice("agresti_min", (), p, "binary difference, T<100 or n_eff<20")
    if binary:
        return Choice("wilson", ("clopper_pearson",), p, "binary rate, T<100 or n_eff<20")
    if kind == "rate" and (units < SMALL_T or informative < ENOUGH_INFORMATIVE):
        return Choice("gaffke", ("expanded_percentile",), p, "graded rate, T<30 or n_eff<20: finite-sample")
    if kind == "rate":
        return Choice("studentized", ("student_t",), p, "graded rate, T<100")
    if informative < FEW_INFORMATIVE:
        return Choice("gaffke", ("student_t",), p, "graded difference, n_eff<5: finite-sample")
    finite = ("gaffke",) if units < SMALL_T else ()
    return Choice(
        "student_hull", ("student_t", *finite), p, "graded difference, T<100 or n_eff<20: approximate"
    )


def _clustered(kind: Kind, units: int, informative: int) -> Choice:
    if units >= FEW_CLUSTERS:
        rule = "repeated source ids, G>=40"
        return Choice("percentile", ("cluster_t",), "cluster_studentized", rule)
    if kind == "rate" and (units < FLAG_CLUSTERS or informative < ENOUGH_INFORMATIVE):
        rule = "repeated source ids, rate, G<10 or n_eff<20: finite-sample over cluster means"
        return Choice("gaffke", ("cluster_t",), "cluster_t", rule)
    return Choice("student_hull", ("cluster_t",), "cluster_t", "repeated source ids, G<40: CR1")
