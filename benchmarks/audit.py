"""Speed of the trace audit against pandas, polars and scikit-learn; equal outputs are checked in the same
run.

    python benchmarks/audit.py [--blocks 1000000] [--repeats 5] [--json FILE]

CPU seconds (user and system, all threads) are the robust figure on a shared machine; the minimum over the
repeats is shown. polars runs in ``.venv-bench``; without that environment its rows are left out and said so.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score

from routeaudit.deliberation.assemble import blocks_from_table
from routeaudit.deliberation.calibration.auroc import auroc, auroc_measure
from routeaudit.deliberation.calibration.reliability import bin_index, brier_measure, ece_measure
from routeaudit.deliberation.calibration.scores import score_table
from routeaudit.deliberation.intervals import Resampling, estimate_all
from routeaudit.deliberation.routing.metrics import routing_measures, routing_sums
from routeaudit.inference.streams import Stream

ROOT = Path(__file__).resolve().parents[1]
POLARS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
AGENTS = 4
METRICS = ("CRA", "HRWP", "MCR", "PCCA", "CTR", "selected_invalid_rate")


def timed(work: Callable[[], Any], repeats: int) -> tuple[Any, dict[str, float]]:
    """Last result, and the least CPU and wall seconds of ``repeats`` calls."""
    cpu, wall, result = [], [], None
    for _ in range(repeats):
        c, w = time.process_time(), time.perf_counter()
        result = work()
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - w)
    return result, {"cpu_s": min(cpu), "wall_s": min(wall)}


def candidate_file(n_blocks: int, seed: int = 0) -> bytes:
    """Parquet bytes of ``n_blocks`` blocks of four candidates in 50-block problems."""
    rng = np.random.default_rng(seed)
    n = n_blocks * AGENTS
    valid = rng.random(n) < 0.9
    score = (rng.integers(0, 21, n) * 5).astype(np.int16)
    block = np.repeat(np.arange(n_blocks), AGENTS)
    table = pa.table(
        {
            "block": block,
            "problem_uid": block // 50,
            "score": score,
            "valid": valid,
            "correct": valid & (rng.random(n) < 0.2 + score / 200),
            "selected": (np.arange(n) % AGENTS)
            == np.repeat(score.reshape(-1, AGENTS).argmax(axis=1), AGENTS),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def ours(data: bytes) -> dict[str, float]:
    """All routing metrics from Parquet bytes with the library."""
    blocks, _ = blocks_from_table(pq.read_table(pa.BufferReader(data)))
    return {m.name: m.estimate for m in routing_measures(routing_sums(blocks))}


def _rates(per_block: pd.DataFrame) -> dict[str, float]:
    b = per_block
    hit, valid_pick = b["hit"], b["valid_pick"]
    mixed = b["pairs"] > 0
    return {
        "CRA": hit.sum() / valid_pick.sum(),
        "HRWP": hit.sum() / (b["correct"] > 0).sum(),
        "MCR": (valid_pick & ~hit & (b["correct"] > 0)).sum() / (valid_pick & (b["valid"] > 1)).sum(),
        "PCCA": (b["wins"][mixed] / b["pairs"][mixed]).mean(),
        "CTR": b["ties"].sum() / b["pairs"].sum(),
        "selected_invalid_rate": 1 - valid_pick.mean(),
    }


def with_pandas(data: bytes) -> dict[str, float]:
    """The same with pandas: group-by counts and a merge of correct with wrong candidates."""
    frame = pd.read_parquet(io.BytesIO(data))
    valid = frame[frame["valid"]]
    right = valid.loc[valid["correct"], ["block", "score"]]
    wrong = valid.loc[~valid["correct"], ["block", "score"]]
    pairs = right.merge(wrong, on="block", suffixes=("_c", "_w"))
    pairs["ties"] = pairs["score_c"] == pairs["score_w"]
    pairs["wins"] = (pairs["score_c"] > pairs["score_w"]) + 0.5 * pairs["ties"]
    counted = pairs.groupby("block").agg(pairs=("ties", "size"), ties=("ties", "sum"), wins=("wins", "sum"))
    per_block = frame.groupby("block").agg(valid=("valid", "sum"), correct=("correct", "sum"))
    picked = frame[frame["selected"]].set_index("block")
    per_block["valid_pick"], per_block["hit"] = picked["valid"], picked["correct"]
    return _rates(per_block.join(counted).fillna({"pairs": 0, "ties": 0, "wins": 0}))


def with_polars(path: Path, repeats: int) -> dict[str, Any] | None:
    """Timings and metrics of the polars script in its own environment, or None where there is none."""
    if not POLARS_PYTHON.exists():
        return None
    script = Path(__file__).with_name("audit_polars.py")
    done = subprocess.run(
        [POLARS_PYTHON, script, path, str(repeats)], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def largest_difference(a: dict[str, float], b: dict[str, float]) -> float:
    """Largest absolute difference over the six metrics."""
    return max(abs(a[name] - b[name]) for name in METRICS)


def routing_rows(n_blocks: int, repeats: int) -> list[dict[str, Any]]:
    """All routing metrics: the library, pandas and polars on the same bytes."""
    data = candidate_file(n_blocks)
    reference, spent = timed(lambda: ours(data), repeats)
    rows = [{"task": f"routing metrics, {n_blocks:,} blocks", "with": "routeaudit", **spent}]
    found, spent = timed(lambda: with_pandas(data), min(repeats, 2))
    rows.append({"with": "pandas", **spent, "difference": largest_difference(reference, found)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.parquet"
        path.write_bytes(data)
        polars = with_polars(path, repeats)
    for name, result in (polars or {}).items():
        gap = largest_difference(reference, result["metrics"])
        spent = {"cpu_s": result["cpu_s"], "wall_s": result["wall_s"]}
        rows.append({"with": f"polars, {name}", **spent, "difference": gap})
    if polars is None:
        rows.append({"with": "polars: not measured, no .venv-bench"})
    return [*rows, interval_row(data, repeats)]


def interval_row(data: bytes, repeats: int) -> dict[str, Any]:
    """Problem-cluster intervals of all routing metrics, B = 10,000."""
    blocks, _ = blocks_from_table(pq.read_table(pa.BufferReader(data)))
    measures = routing_measures(routing_sums(blocks))
    how = Resampling(Stream(0, "benchmark"), resamples=10_000)
    _, spent = timed(lambda: estimate_all([(m, "all", "poll") for m in measures], how), min(repeats, 2))
    task = f"their intervals, B = 10,000, {blocks.n_clusters:,} problems"
    return {"task": task, "with": "routeaudit", **spent}


def bootstrap_rows(repeats: int) -> list[dict[str, Any]]:
    """B = 10,000 of AUROC, ECE and Brier on 23,391 candidates of 421 problems against a scikit-learn loop."""
    rng = np.random.default_rng(1)
    n, g, resamples, looped = 23_391, 421, 10_000, 20
    cluster = rng.integers(0, g, n)
    score = rng.integers(0, 101, n)
    correct = rng.random(n) < 0.2 + 0.006 * score

    def shared() -> Any:
        p = score / 100
        measures = [
            auroc_measure(score_table(score), correct, cluster, g),
            ece_measure(p, correct, bin_index(score, 100, 10, "right"), 10, cluster, g),
            brier_measure(p, correct, cluster, g),
        ]
        how = Resampling(Stream(0, "benchmark"), resamples=resamples)
        return estimate_all([(m, "all", "poll") for m in measures], how)

    def loop() -> None:
        members = [np.flatnonzero(cluster == k) for k in range(g)]
        for _ in range(looped):
            rows = np.concatenate([members[k] for k in rng.integers(0, g, g)])
            z, p = correct[rows], score[rows] / 100
            roc_auc_score(z, p)
            brier_score_loss(z, p)
            calibration_curve(z, p, n_bins=10)

    _, mine = timed(shared, repeats)
    _, theirs = timed(loop, 1)
    scaled = {name: value * resamples / looped for name, value in theirs.items()}
    task = "cluster bootstrap, B = 10,000: AUROC + ECE + Brier, 23,391 candidates"
    return [
        {"task": task, "with": "routeaudit", **mine},
        {"with": f"loop of scikit-learn (from {looped} resamples)", **scaled},
    ]


def auroc_rows(n: int, repeats: int) -> list[dict[str, Any]]:
    """AUROC on ``n`` integer and continuous scores against scikit-learn."""
    rng = np.random.default_rng(2)
    whole = rng.integers(0, 101, n)
    smooth = rng.random(n)
    correct = rng.random(n) < 0.5
    rows = []
    for kind, score in (("integer", whole), ("continuous", smooth)):
        mine, spent = timed(lambda s=score: auroc(s, correct), min(repeats, 3))
        theirs, slower = timed(lambda s=score: roc_auc_score(correct, s), 1)
        rows.append({"task": f"AUROC, {n:,} {kind} scores", "with": "routeaudit", **spent})
        rows.append({"with": "scikit-learn", **slower, "difference": abs(mine - theirs)})
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """One line per row."""
    print(f"{'task':72}{'with':48}{'cpu s':>10}{'wall s':>10}  difference")
    for row in rows:
        cpu, wall = row.get("cpu_s"), row.get("wall_s")
        numbers = "" if cpu is None else f"{cpu:10.3f}{wall:10.3f}"
        gap = f"  {row['difference']:.1e}" if "difference" in row else ""
        print(f"{row.get('task', ''):72}{row['with']:48}{numbers}{gap}")


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=1_000_000)
    parser.add_argument("--scores", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = routing_rows(arguments.blocks, arguments.repeats)
    rows += bootstrap_rows(arguments.repeats) + auroc_rows(arguments.scores, arguments.repeats)
    show(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
