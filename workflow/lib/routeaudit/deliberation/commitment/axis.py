"""The commitment axis of an audit: pair metrics, classes, flags, judges and the decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from routeaudit.deliberation.arrays import BoolArray, IntArray
from routeaudit.deliberation.blocks import Blocks
from routeaudit.deliberation.commitment.classes import class_measures, primary_classes
from routeaudit.deliberation.commitment.metrics import commitment_measures, commitment_sums
from routeaudit.deliberation.commitment.pairs import PairTable
from routeaudit.deliberation.dataset import TURN
from routeaudit.deliberation.decomposition import decomposition_measures
from routeaudit.deliberation.judges import (
    Agreement,
    Confusion,
    MarginCheck,
    agreement,
    check_margin,
    confusion,
    kappa_measure,
    relabel,
)
from routeaudit.deliberation.measures import Measure
from routeaudit.deliberation.trace import DIVERGENT, EQUIVALENT, Trace

LOGGED = "as logged"


@dataclass(frozen=True)
class JudgePair:
    """Two judges on the residual pairs, and whether the table's margins are the judges' own counts."""

    table: Confusion
    agreement: Agreement | None
    kappa: Measure
    margins: tuple[MarginCheck, ...]

    @property
    def name(self) -> str:
        return f"{self.table.row_judge} vs {self.table.column_judge}"


@dataclass(frozen=True)
class CommitmentAxis:
    """Measures of the commitment axis.

    by_judge : the metrics under each judge's labels of the residual pairs (table 17)
    """

    metrics: tuple[Measure, ...]
    classes: tuple[Measure, ...]
    flags: tuple[Measure, ...]
    decomposition: tuple[Measure, ...]
    by_judge: dict[str, tuple[Measure, ...]]
    judge_pairs: tuple[JudgePair, ...]
    n_residual: int


def possible_hit(blocks: Blocks) -> BoolArray:
    """Blocks that hold a correct valid candidate, (NB,)."""
    counted = np.concatenate([[0], np.cumsum(blocks.correct)])
    return np.asarray(np.diff(counted[blocks.offsets]) > 0)


def judge_verdicts(table: PairTable, trace: Trace) -> dict[str, IntArray]:
    """Per judge the verdict on every pair (N,): 1 divergent, 0 equivalent, -1 undecided or not asked."""
    if trace.verdicts is None:
        return {}
    rows = trace.verdicts.to_pandas()
    code = rows["verdict"].map({DIVERGENT: 1, EQUIVALENT: 0}).fillna(-1).astype(np.int64)
    keys = pd.MultiIndex.from_frame(table.rows[TURN])
    out = {}
    for judge in sorted(set(rows["judge"])):
        mine = (rows["judge"] == judge).to_numpy()
        series = pd.Series(code[mine].to_numpy(), index=pd.MultiIndex.from_frame(rows.loc[mine, TURN]))
        out[str(judge)] = series.reindex(keys, fill_value=-1).to_numpy(np.int64)
    return out


def _labels(table: PairTable, verdict: IntArray) -> BoolArray:
    return relabel(table.by_rule, table.pairs.divergent, verdict)


def _margin(
    table: PairTable, counts: Confusion, judge: str, verdict: IntArray, both_known: BoolArray
) -> MarginCheck:
    """The judge's divergent total against the table; for the judge of the log the total is the log's own."""
    labels = _labels(table, verdict)
    logged_by = table.rows["divergence_source"].fillna("").to_numpy()
    is_logged = set(logged_by[~table.by_rule]) == {judge}
    reported = int((table.pairs.divergent if is_logged else labels).sum())
    open_pairs = ~table.by_rule & ~both_known
    by_rule = int((table.by_rule & table.pairs.divergent).sum())
    return check_margin(counts, judge, reported, int(labels[open_pairs].sum()), by_rule)


def judge_pairs(table: PairTable, verdicts: dict[str, IntArray]) -> tuple[JudgePair, ...]:
    """The first judge (of the log, where it is known) against every other one."""
    sources = [str(s) for s in table.rows["divergence_source"].dropna().unique() if s != "rule"]
    names = sorted(verdicts, key=lambda name: (name not in sources, name))
    residual = ~table.by_rule
    out = []
    for other in names[1:]:
        first = names[0]
        a, b = verdicts[first], verdicts[other]
        counts = confusion((first, a[residual]), (other, b[residual]))
        known = (a >= 0) & (b >= 0)
        margins = tuple(
            _margin(table, counts, name, verdict, known) for name, verdict in ((first, a), (other, b))
        )
        kappa = kappa_measure(a[residual], b[residual], table.pairs.cluster[residual], table.pairs.n_clusters)
        out.append(JudgePair(counts, agreement(counts) if counts.decided else None, kappa, margins))
    return tuple(out)


def commitment_axis(table: PairTable, blocks: Blocks, trace: Trace) -> CommitmentAxis:
    """All commitment measures of the valid pairs."""
    pairs = table.pairs
    verdicts = judge_verdicts(table, trace)
    classes: tuple[Measure, ...] = ()
    flags: tuple[Measure, ...] = ()
    if table.flags is not None:
        classes = tuple(class_measures(pairs, primary_classes(table.flags), "primary"))
        flags = tuple(class_measures(pairs, table.flags.columns(), "flag"))
    by_judge = {
        name: tuple(commitment_measures(commitment_sums(pairs.relabelled(_labels(table, verdict)))))
        for name, verdict in verdicts.items()
    }
    return CommitmentAxis(
        metrics=tuple(commitment_measures(commitment_sums(pairs))),
        classes=classes,
        flags=flags,
        decomposition=tuple(decomposition_measures(pairs, possible_hit(blocks)[table.block])),
        by_judge=by_judge,
        judge_pairs=judge_pairs(table, verdicts),
        n_residual=int((~table.by_rule).sum()),
    )
