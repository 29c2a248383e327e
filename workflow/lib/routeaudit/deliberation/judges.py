"""Agreement of two divergence judges, with a named orientation and the check of its margins (A19)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa

from routeaudit.deliberation.arrays import BoolArray, FloatArray, IntArray, cluster_sum, ratio
from routeaudit.deliberation.measures import Measure
from routeaudit.errors import InputError


@dataclass(frozen=True)
class Confusion:
    """Verdicts of two judges on the same pairs. Rows belong to ``row_judge``, columns to ``column_judge``.

    dd : both say divergent; de : the row judge divergent, the column judge equivalent; ed : the reverse;
    ee : both equivalent; undecided : pairs on which at least one of them gave no verdict
    """

    row_judge: str
    column_judge: str
    dd: int
    de: int
    ed: int
    ee: int
    undecided: int = 0

    @property
    def decided(self) -> int:
        return self.dd + self.de + self.ed + self.ee

    def divergent_of(self, judge: str) -> int:
        """The judge's divergent verdicts inside the table: its margin."""
        if judge == self.row_judge:
            return self.dd + self.de
        if judge == self.column_judge:
            return self.dd + self.ed
        raise InputError(
            "judges", f"{self.row_judge} or {self.column_judge}", judge, "name a judge of the table"
        )


@dataclass(frozen=True)
class Agreement:
    """Agreement statistics of one confusion table; NaN where a judge gave one verdict only."""

    observed: float
    expected: float
    kappa: float
    kappa_se: float
    kappa_bounds: tuple[float, float]
    pabak: float
    positive: float
    negative: float
    mcnemar_chi2: float


def confusion(row: tuple[str, IntArray], column: tuple[str, IntArray]) -> Confusion:
    """Table from verdicts (N,): 1 divergent, 0 equivalent, -1 undecided."""
    a, b = row[1], column[1]
    known = (a >= 0) & (b >= 0)
    cell = np.bincount(2 * a[known] + b[known], minlength=4)
    return Confusion(
        row[0], column[0], int(cell[3]), int(cell[2]), int(cell[1]), int(cell[0]), int((~known).sum())
    )


def _kappa(dd: float, de: float, ed: float, ee: float) -> tuple[float, float, float]:
    n = dd + de + ed + ee
    p1, p2 = (dd + de) / n, (dd + ed) / n
    observed = (dd + ee) / n
    expected = p1 * p2 + (1 - p1) * (1 - p2)
    kappa = (observed - expected) / (1 - expected) if expected < 1 else float("nan")
    return observed, expected, kappa


def _kappa_bounds(table: Confusion) -> tuple[float, float]:
    """Extremes of kappa over the splits of the undecided pairs between two cells of the table.."""
    cells = np.array([table.dd, table.de, table.ed, table.ee], dtype=np.float64)
    first = np.arange(table.undecided + 1)
    split = []
    for i, j in combinations(range(4), 2):
        filled = np.repeat(cells[:, None], len(first), axis=1)
        filled[i] += first
        filled[j] += table.undecided - first
        split.append(filled)
    dd, de, ed, ee = np.concatenate(split, axis=1)
    kappa = _combine_kappa(np.stack([dd, de, ed, ee], axis=-1))
    return float(np.nanmin(kappa)), float(np.nanmax(kappa))


def _kappa_error(table: Confusion) -> float:
    """Standard error of kappa (Fleiss, Cohen and Everitt 1969); NaN where an expected cell is empty."""
    with np.errstate(all="ignore"):
        return float(cohens_kappa([[table.dd, table.de], [table.ed, table.ee]]).std_kappa)


def agreement(table: Confusion) -> Agreement:
    """Cohen's kappa with the Fleiss-Cohen-Everitt error, PABAK, specific agreement and McNemar.

    Raises
    ------
    InputError : no pair was decided by both judges
    """
    if table.decided == 0:
        raise InputError(
            "judges", "pairs decided by both judges", "none", "run the second judge on the residual"
        )
    dd, de, ed, ee = table.dd, table.de, table.ed, table.ee
    observed, expected, kappa = _kappa(dd, de, ed, ee)
    return Agreement(
        observed=observed,
        expected=expected,
        kappa=kappa,
        kappa_se=float("nan") if math.isnan(kappa) else _kappa_error(table),
        kappa_bounds=_kappa_bounds(table) if table.undecided else (kappa, kappa),
        pabak=2 * observed - 1,
        positive=2 * dd / (2 * dd + de + ed) if 2 * dd + de + ed else float("nan"),
        negative=2 * ee / (2 * ee + de + ed) if 2 * ee + de + ed else float("nan"),
        mcnemar_chi2=(de - ed) ** 2 / (de + ed) if de + ed else float("nan"),
    )


def _combine_kappa(totals: FloatArray) -> FloatArray:
    """Kappa from totals (..., 4): both divergent, row only, column only, both equivalent."""
    dd, de, ed, ee = (totals[..., k] for k in range(4))
    return ratio(2 * (dd * ee - de * ed), (dd + de) * (de + ee) + (dd + ed) * (ed + ee))


def _decided(totals: FloatArray) -> FloatArray:
    return np.asarray(totals.sum(axis=-1))


def kappa_measure(row: IntArray, column: IntArray, cluster: IntArray, n_clusters: int) -> Measure:
    """Cohen's kappa of verdicts (N,), 1 divergent, 0 equivalent, -1 undecided, with problems resampled."""
    known = (row >= 0) & (column >= 0)
    cells = [known & (row == a) & (column == b) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    sums = np.column_stack([cluster_sum(cell, cluster, n_clusters) for cell in cells])
    text = "agreement beyond chance on the pairs both judges decided"
    return Measure("kappa", sums, _combine_kappa, _decided, "pairs decided by both judges", definition=text)


@dataclass(frozen=True)
class MarginCheck:
    """Whether a judge's own divergent total equals what the table implies for it."""

    judge: str
    reported: int
    implied: int

    @property
    def holds(self) -> bool:
        return self.reported == self.implied


def check_margin(
    table: Confusion, judge: str, reported: int, undecided_as_divergent: int, divergent_by_rule: int
) -> MarginCheck:
    """Reported total against margin + undecided pairs counted as divergent + pairs decided by rule.

    A table with its rows and columns exchanged fails this (section 0 item 11).
    """
    implied = table.divergent_of(judge) + undecided_as_divergent + divergent_by_rule
    return MarginCheck(judge, reported, implied)


def relabel(by_rule: BoolArray, rule_divergent: BoolArray, verdict: IntArray) -> BoolArray:
    """Divergence under one judge: the rule where it decided, else the verdict, undecided as divergent."""
    return np.where(by_rule, rule_divergent, verdict != 0)
