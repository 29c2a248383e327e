"""Task-level context: pass rate and cost of the broadcast and of its baselines (table 20)."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from routeaudit.deliberation.trace import SINGLE_AGENT, Trace


@dataclass(frozen=True)
class ModeRow:
    """One mode: ``passed`` of ``known`` runs, mean costs, and their ratio to the single agent."""

    mode: str
    runs: int
    known: int
    passed: int
    means: dict[str, float]
    ratios: dict[str, float]

    @property
    def pass_rate(self) -> float:
        return self.passed / self.known if self.known else float("nan")


COSTS = ("tokens", "calls", "seconds")


def mode_rows(trace: Trace) -> tuple[ModeRow, ...]:
    """Rows by mode name; empty where no outcome was recorded."""
    if trace.outcomes is None or trace.outcomes.num_rows == 0:
        return ()
    runs = trace.outcomes.to_pandas()
    means = runs.groupby("mode")[list(COSTS)].mean(numeric_only=False).astype(float)
    base = means.loc[SINGLE_AGENT] if SINGLE_AGENT in means.index else pd.Series(float("nan"), index=COSTS)
    return tuple(_row(str(mode), rows, means.loc[mode], base) for mode, rows in runs.groupby("mode"))


def _row(mode: str, rows: pd.DataFrame, mean: pd.Series, base: pd.Series) -> ModeRow:
    known = rows["passed"].dropna()
    return ModeRow(
        mode=mode,
        runs=len(rows),
        known=len(known),
        passed=int(known.astype(bool).sum()),
        means={cost: float(mean[cost]) for cost in COSTS},
        ratios={cost: float(mean[cost] / base[cost]) for cost in COSTS},
    )
