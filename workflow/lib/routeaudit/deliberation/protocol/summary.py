"""What a trace holds, in a few lines for the terminal."""

from __future__ import annotations

from typing import Any

import pandas as pd

from routeaudit.deliberation.trace import Trace

TURN = ["trace", "round", "turn"]


def summarise(trace: Trace, card: dict[str, Any]) -> list[str]:
    """Lines with size, valid polls, distinct confidences, mixed blocks, divergent pairs, AUROC and modes."""
    polls = trace.polls.to_pandas()
    usable = polls["parse_ok"] & polls["has_candidate"] & polls["score_raw"].notna()
    valid = polls[usable & polls["correct"].notna()]
    mixed = valid.groupby(TURN)["correct"].nunique()
    lines = [
        f"{card['totals']['problems']} problems, {trace.blocks.num_rows} blocks, {len(polls)} polls",
        f"valid polls: {len(valid)}/{len(polls)} = {len(valid) / max(len(polls), 1):.1%}",
        f"accuracy of valid candidates: {valid['correct'].astype(float).mean():.3f}",
        f"distinct confidence values: {valid['score_raw'].nunique()}",
        f"mixed blocks: {int((mixed == 2).sum())}",
    ]
    return lines + _pairs(trace, card) + _metrics(card) + _modes(trace)


def _pairs(trace: Trace, card: dict[str, Any]) -> list[str]:
    if trace.speaks is None:
        return []
    found = next((m for m in card["metrics"]["commitment"] if m["metric"] == "PSDR"), None)
    return (
        [f"divergent pairs: {found['numerator']:g} of {found['denominator']}"] if found else ["no valid pair"]
    )


def _metrics(card: dict[str, Any]) -> list[str]:
    raw = card["metrics"]["calibration"].get("raw", [])
    wanted = [m for m in raw if m["metric"] in ("AUROC", "ECE", "mean_confidence")]
    wanted += [m for m in card["metrics"]["routing"] if m["metric"] in ("CRA", "HRWP", "PCCA")]
    return [f"{m['metric']}: {_interval(m)} over {m['denominator']}" for m in wanted]


def _interval(metric: dict[str, Any]) -> str:
    if metric["estimate"] is None:
        return f"not measured ({metric['reason']})"
    low, high = metric["interval"]["lower"], metric["interval"]["upper"]
    bounds = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    return f"{metric['estimate']:.3f}{bounds}"


def _modes(trace: Trace) -> list[str]:
    if trace.outcomes is None:
        return []
    runs = trace.outcomes.to_pandas()
    return [
        f"{mode}: pass rate {_share(rows['passed'])}, {rows['tokens'].mean():.0f} tokens, "
        f"{rows['calls'].mean():.1f} calls, {rows['seconds'].mean():.1f} s"
        for mode, rows in runs.groupby("mode")
    ]


def _share(passed: pd.Series) -> str:
    return f"{passed.astype(float).mean():.3f}"
