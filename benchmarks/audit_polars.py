"""The routing metrics with polars, two ways; run by audit.py in its own environment.

    python audit_polars.py CANDIDATES.parquet REPEATS

Reads the file into memory once; every timed call decodes the Parquet bytes and computes all metrics.
"""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path

import polars as pl


def _self_join(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Pair counts per block from a join of correct with wrong candidates."""
    valid = frame.filter(pl.col("valid")).select("block", "score", "correct")
    right = valid.filter(pl.col("correct")).select("block", c="score")
    wrong = valid.filter(~pl.col("correct")).select("block", w="score")
    tie = pl.col("c") == pl.col("w")
    return (
        right.join(wrong, on="block")
        .group_by("block")
        .agg(pairs=pl.len(), ties=tie.sum(), wins=(pl.col("c") > pl.col("w")).sum() + 0.5 * tie.sum())
    )


def _cumulated(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Pair counts per block from cumulative counts over sorted scores: no join."""
    cells = (
        frame.filter(pl.col("valid"))
        .group_by("block", "score")
        .agg(c=pl.col("correct").sum().cast(pl.Int64), w=(~pl.col("correct")).sum().cast(pl.Int64))
        .sort("block", "score")
    )
    below = pl.col("w").cum_sum().over("block") - pl.col("w")
    counted = cells.with_columns(ties=pl.col("c") * pl.col("w"), higher=pl.col("c") * below)
    return counted.group_by("block").agg(
        pairs=pl.col("c").sum() * pl.col("w").sum(),
        ties=pl.col("ties").sum(),
        wins=pl.col("higher").sum() + 0.5 * pl.col("ties").sum(),
    )


def _per_block(frame: pl.LazyFrame) -> pl.LazyFrame:
    chosen = pl.col("selected")
    return frame.group_by("block").agg(
        valid=pl.col("valid").sum(),
        correct=pl.col("correct").sum(),
        valid_pick=(pl.col("valid") & chosen).any(),
        hit=(pl.col("correct") & chosen).any(),
    )


def _rates(blocks: pl.LazyFrame, pairs: pl.LazyFrame) -> dict[str, float]:
    possible, pick, hit = pl.col("correct") > 0, pl.col("valid_pick"), pl.col("hit")
    first = blocks.select(
        CRA=hit.sum() / pick.sum(),
        HRWP=hit.sum() / possible.sum(),
        MCR=(pick & ~hit & possible).sum() / (pick & (pl.col("valid") > 1)).sum(),
        selected_invalid_rate=1 - pick.mean(),
    )
    second = pairs.filter(pl.col("pairs") > 0).select(
        PCCA=(pl.col("wins") / pl.col("pairs")).mean(), CTR=pl.col("ties").sum() / pl.col("pairs").sum()
    )
    one, two = pl.collect_all([first, second])
    return {**one.row(0, named=True), **two.row(0, named=True)}


def main() -> None:
    """Time both ways and print JSON."""
    data, repeats = Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
    out = {}
    for name, count in (("self-join", _self_join), ("cumulative counts", _cumulated)):
        cpu, wall, metrics = [], [], {}
        for _ in range(repeats):
            c, w = time.process_time(), time.perf_counter()
            frame = pl.read_parquet(io.BytesIO(data)).lazy()
            metrics = _rates(_per_block(frame), count(frame))
            cpu.append(time.process_time() - c)
            wall.append(time.perf_counter() - w)
        out[name] = {"cpu_s": min(cpu), "wall_s": min(wall), "metrics": metrics}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
