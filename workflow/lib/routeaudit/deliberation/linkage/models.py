"""The regressions of the paper's tables 4, 11, 12 and 18 on our traces (A17)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from routeaudit.deliberation.arrays import AnyArray, FloatArray, IntArray
from routeaudit.deliberation.commitment.pairs import PairTable
from routeaudit.deliberation.dataset import Dataset, Problems
from routeaudit.deliberation.linkage.logit import LogitFit, fit_logit, standardised
from routeaudit.deliberation.trace import BROADCAST, Trace

COLLAPSED = (
    "pool_solvable_rate",
    "improvement_rate",
    "tier_difficulty",
    "selected_invalid_rate",
    "divergence_rate",
    "degradation_rate",
)
# Pool-solvable = selected-correct + slack is an identity, so the three never enter together.
SPLIT = ("selected_correct_rate", "routing_slack", *COLLAPSED[1:])


def problem_difficulty(problems: Problems) -> FloatArray | None:
    """Difficulty per problem (G,): as recorded, else a numeric tier; None where neither is known."""
    if np.isfinite(problems.difficulty).all():
        return problems.difficulty
    if all(tier.isdigit() for tier in problems.tier):
        return np.array([float(tier) for tier in problems.tier])
    return None


def _agents(code: IntArray, names: Sequence[str]) -> dict[str, AnyArray]:
    """Dummies against the first agent."""
    return {f"agent[{name}]": (code == k).astype(float) for k, name in enumerate(names) if k}


def _with_difficulty(
    columns: dict[str, AnyArray], name: str, difficulty: FloatArray | None, cluster: IntArray
) -> dict[str, AnyArray]:
    if difficulty is None:
        return columns
    hard = difficulty[cluster]
    return {**columns, f"{name}:difficulty": columns[name] * hard, "difficulty": hard}


def correctness_model(data: Dataset) -> LogitFit:
    """Candidate correct ~ score + score x difficulty + difficulty + round + agent."""
    b, keep = data.blocks, data.blocks.valid
    cluster = b.cluster[b.block_of_row()][keep]
    columns: dict[str, AnyArray] = {"score": b.score[keep] / data.scale}
    columns = _with_difficulty(columns, "score", problem_difficulty(data.problems), cluster)
    columns["round"] = data.context.round[keep].astype(float)
    columns |= _agents(data.context.agent[keep], data.agents)
    return _fit("correctness", b.correct[keep], columns, cluster)


def divergence_model(data: Dataset, table: PairTable) -> LogitFit:
    """Pair diverges ~ poll correct + poll correct x difficulty + difficulty + score + round + agent."""
    pairs = table.pairs
    row = data.blocks.offsets[table.block] + data.blocks.selected[table.block]
    columns: dict[str, AnyArray] = {"poll_correct": pairs.polled.astype(float)}
    columns = _with_difficulty(columns, "poll_correct", problem_difficulty(data.problems), pairs.cluster)
    columns["score"] = data.blocks.score[row] / data.scale
    columns["round"] = data.context.round[row].astype(float)
    columns |= _agents(data.context.agent[row], data.agents)
    return _fit("divergence", pairs.divergent, columns, pairs.cluster)


def _fit(model: str, outcome: AnyArray, columns: dict[str, AnyArray], cluster: IntArray) -> LogitFit:
    return fit_logit(model, outcome.astype(np.float64), pd.DataFrame(columns), cluster)


def adoption_model(rows: pd.DataFrame) -> LogitFit:
    """Spoken answer equals a visible one ~ role (vs peer) + lag + source confidence, correctness, recency."""
    known = rows.dropna(subset=["source_confidence", "source_correct"])
    columns = {
        "role[self-prior-speak]": (known["role"] == "self-prior-speak").to_numpy(float),
        "role[incumbent]": (known["role"] == "incumbent").to_numpy(float),
        "lag": known["lag"].to_numpy(float),
        "source_confidence": known["source_confidence"].to_numpy(float),
        "source_correct": known["source_correct"].to_numpy(float),
        "most_recent": known["most_recent"].to_numpy(float),
    }
    return _fit("adoption", known["adopted"].to_numpy(), columns, known["cluster"].to_numpy(np.int64))


def trace_summary(data: Dataset, table: PairTable, trace: Trace) -> pd.DataFrame:
    """One row per broadcast trace with a known verdict: its rates over blocks and pairs, and ``passed``.

    A trace without a valid pair has pair rates 0 and ``no_pairs`` 1.
    """
    assert trace.outcomes is not None
    blocks = _block_rates(data).groupby("trace").mean()
    pairs = _pair_rates(table).groupby("trace").mean()
    runs = trace.outcomes.select(["trace", "mode", "passed"]).to_pandas()
    runs = runs[(runs["mode"] == BROADCAST) & runs["passed"].notna()].set_index("trace")
    joined = runs[["passed"]].join(blocks, how="inner").join(pairs, how="left")
    joined["no_pairs"] = joined["divergence_rate"].isna().astype(float)
    filled: pd.DataFrame = joined.fillna(dict.fromkeys(pairs.columns, 0.0))
    return filled.astype({"cluster": np.int64})


def _block_rates(data: Dataset) -> pd.DataFrame:
    b = data.blocks
    row = b.offsets[:-1] + b.selected
    possible = np.add.reduceat(b.correct.astype(np.int64), b.offsets[:-1]) > 0
    score = b.score[row]
    difficulty = problem_difficulty(data.problems)
    hard = np.zeros(b.n_blocks) if difficulty is None else difficulty[b.cluster]
    return pd.DataFrame(
        {
            "trace": data.keys["trace"].to_numpy(),
            "cluster": b.cluster,
            "pool_solvable_rate": possible.astype(float),
            "selected_correct_rate": b.correct[row].astype(float),
            "routing_slack": possible.astype(float) - b.correct[row],
            "selected_invalid_rate": (~b.valid[row]).astype(float),
            "tier_difficulty": hard,
            "selected_confidence": np.where(np.isfinite(score), score, np.nan) / data.scale,
        }
    )


def _pair_rates(table: PairTable) -> pd.DataFrame:
    p = table.pairs
    return pd.DataFrame(
        {
            "trace": table.rows["trace"].to_numpy(),
            "divergence_rate": p.divergent.astype(float),
            "improvement_rate": (p.divergent & ~p.polled & p.spoken).astype(float),
            "degradation_rate": (p.divergent & p.polled & ~p.spoken).astype(float),
        }
    )


def linkage_models(summary: pd.DataFrame) -> list[LogitFit]:
    """Trace passed ~ trace rates, z-scored: the collapsed and the split specification and their variants.

    Variants add mean selected confidence, or the indicator of traces without a pair: a coefficient whose sign
    moves between them is not to be read.
    """
    specifications = {
        "linkage": list(COLLAPSED),
        "linkage_split": list(SPLIT),
        "linkage+selected_confidence": [*COLLAPSED, "selected_confidence"],
        "linkage_split+selected_confidence": [*SPLIT, "selected_confidence"],
        "linkage+no_pairs": [*COLLAPSED, "no_pairs"],
    }
    return [_linkage(name, summary, columns) for name, columns in specifications.items()]


def _linkage(name: str, summary: pd.DataFrame, columns: list[str]) -> LogitFit:
    rows = summary.dropna(subset=columns)
    scored, constant = standardised(rows[columns])
    passed = rows["passed"].to_numpy(dtype=np.float64)
    fit = fit_logit(name, passed, scored, rows["cluster"].to_numpy(np.int64))
    return LogitFit(**{**fit.__dict__, "flags": constant + fit.flags})
