"""Sanity constructions over the same blocks: permuted scores and a noisy oracle (statistics A18)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np

from routeaudit.deliberation.arrays import AnyArray, FloatArray, ratio
from routeaudit.deliberation.blocks import Blocks, first_seen_argmax, size_groups
from routeaudit.deliberation.routing.metrics import RoutingSums, routing_sums

METRICS = ("CRA", "HRWP", "PCCA", "CTR")


@dataclass(frozen=True)
class NullResult:
    """Mean and standard deviation over repetitions of each metric, and the permutation p-value of PCCA."""

    construction: str
    repeats: int
    mean: dict[str, float]
    sd: dict[str, float]
    p_value: float | None = None


def routing_values(sums: RoutingSums) -> dict[str, float]:
    """The four metrics of the paper's table 15 from pooled sums."""
    top = [sums.total(n) for n in ("selected_correct", "selected_correct", "alignment", "ties")]
    bottom = [sums.total(n) for n in ("selected_valid", "possible_hit", "mixed", "pairs")]
    return dict(zip(METRICS, ratio(np.array(top), np.array(bottom)).tolist(), strict=True))


def rescored(blocks: Blocks, score: AnyArray) -> Blocks:
    """The blocks under other scores, with the runtime rule selecting again."""
    return replace(blocks, score=score, selected=first_seen_argmax(blocks.offsets, score))


def permuted(blocks: Blocks, rng: np.random.Generator) -> Blocks:
    """Scores permuted within each block over ALL polled agents, invalid ones included."""
    order = np.argsort(blocks.block_of_row() + rng.random(len(blocks.score)))
    return rescored(blocks, blocks.score[order])


def noisy_oracle(blocks: Blocks, sigma: float, rng: np.random.Generator) -> Blocks:
    """Scores clip(label + sigma N(0,1), 0, 1), label 0 where invalid; clipping makes the ties."""
    noise = sigma * rng.standard_normal(len(blocks.score))
    return rescored(blocks, np.clip(blocks.correct + noise, 0.0, 1.0))


def _summarise(name: str, rows: list[dict[str, float]], p_value: float | None = None) -> NullResult:
    table = np.array([[row[m] for m in METRICS] for row in rows])
    spread = table.std(axis=0, ddof=1) if len(rows) > 1 else np.full(len(METRICS), np.nan)
    mean = dict(zip(METRICS, table.mean(axis=0).tolist(), strict=True))
    return NullResult(name, len(rows), mean, dict(zip(METRICS, spread.tolist(), strict=True)), p_value)


def permutation_null(blocks: Blocks, rng: np.random.Generator, repeats: int = 999) -> NullResult:
    """Repeated permutation; p = (1 + #{PCCA* >= PCCA}) / (R + 1)."""
    observed = routing_values(routing_sums(blocks))["PCCA"]
    rows = [routing_values(routing_sums(permuted(blocks, rng))) for _ in range(repeats)]
    reached = sum(row["PCCA"] >= observed - 1e-12 for row in rows)
    p_value = float("nan") if np.isnan(observed) else (1 + reached) / (repeats + 1)
    return _summarise("permutation", rows, p_value)


def noisy_oracle_null(
    blocks: Blocks, sigma: float, rng: np.random.Generator, repeats: int = 50
) -> NullResult:
    """Repeated noisy oracle at one noise level."""
    rows = [routing_values(routing_sums(noisy_oracle(blocks, sigma, rng))) for _ in range(repeats)]
    return _summarise(f"noisy oracle, sigma {sigma:g}", rows)


def expected_permuted_ctr(blocks: Blocks) -> float:
    """E[CTR] under permutation: sum_b C_b W_b tau_b / sum_b C_b W_b, tau_b the tied share of score pairs."""
    top = bottom = 0.0
    for _, cut in size_groups(blocks.offsets):
        score, valid, correct = cut(blocks.score), cut(blocks.valid), cut(blocks.correct)
        m = len(score)
        n_correct = correct.sum(axis=0)
        pairs = n_correct * (valid.sum(axis=0) - n_correct)
        tied = sum((score[i] == score[j]).astype(float) for i in range(m) for j in range(i + 1, m))
        top += float((pairs * tied).sum()) / max(comb(m, 2), 1)
        bottom += float(pairs.sum())
    return top / bottom if bottom else float("nan")


def selection_law(m: int, tied_maxima: int) -> FloatArray:
    """P(position j is selected) for j = 1..m when ``tied_maxima`` of m permuted scores share the maximum."""
    total = comb(m, tied_maxima)
    return np.array([comb(m - j, tied_maxima - 1) / total for j in range(1, m + 1)])
