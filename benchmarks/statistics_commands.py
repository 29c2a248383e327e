"""Whole `routeaudit score` processes: a study of the usual size and a table above memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def stream_table(folder: Path, tasks: int, teams: int) -> tuple[Path, Path]:
    """A complete Parquet table of ``tasks`` x ``teams`` cells, sorted by task, and routes of four."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = np.array([f"team{team:04d}" for team in range(teams)])
    ids = np.array([f"task{task:09d}" for task in range(tasks)])
    outcomes, routes = folder / "outcomes.parquet", folder / "routes.parquet"
    step = max(1, 1_000_000 // teams)
    layout = pa.schema([("task_id", pa.string()), ("team_id", pa.string()), ("outcome", pa.float32())])
    with pq.ParquetWriter(outcomes, layout) as writer:
        for start in range(0, tasks, step):
            part = ids[start : start + step]
            columns = [
                np.repeat(part, teams),
                np.tile(names, part.size),
                rng.random(part.size * teams, dtype="f4"),
            ]
            writer.write_table(pa.table(columns, schema=layout))
    policies = [f"policy{p}" for p in range(4)]
    chosen = [names[rng.integers(0, teams, tasks)] for _ in policies]
    flat = {
        "policy": np.repeat(policies, tasks),
        "task_id": np.tile(ids, len(policies)),
        "team_id": np.concatenate(chosen),
    }
    pq.write_table(pa.table(flat), routes)
    return outcomes, routes


def study_tables(folder: Path, tasks: int, teams: int, policies: int) -> tuple[Path, Path]:
    """A complete graded outcome table and routes as CSV."""
    import csv

    import numpy as np

    rng = np.random.default_rng(0)
    outcomes, routes = folder / "outcomes.csv", folder / "routes.csv"
    with outcomes.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["task_id", "team_id", "outcome", "n_workers"])
        for task in range(tasks):
            writer.writerows((f"q{task}", f"a{a}", f"{rng.beta(1, 2):.6f}", 1 + a // 4) for a in range(teams))
    with routes.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["policy", "task_id", "team_id"])
        for policy in range(policies):
            writer.writerows((f"p{policy}", f"q{t}", f"a{rng.integers(0, teams)}") for t in range(tasks))
    return outcomes, routes


COMMAND = "import sys; from routeaudit.cli.main import main; sys.exit(main(sys.argv[1:]))"


def run_command(*arguments: str) -> dict[str, float]:
    """Wall and CPU seconds and peak memory of a whole ``routeaudit`` process, start included."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", COMMAND, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"routeaudit {' '.join(arguments)} failed")
    return {
        "wall": time.perf_counter() - started,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss / 1024,
    }


def whole_commands() -> list[tuple[str, dict[str, float]]]:
    """Whole processes: the study of the issue, and the table above memory."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        outcomes, routes = study_tables(Path(name), 500, 12, 8)
        runs = [run_command("score", str(outcomes), str(routes)) for _ in range(5)]
        found.append(("routeaudit score, T = 500, A = 12, P = 8, graded", min(runs, key=lambda r: r["wall"])))
    with tempfile.TemporaryDirectory() as name:
        outcomes, routes = stream_table(Path(name), 1_000_000, 100)
        measured = run_command("score", str(outcomes), str(routes), "--stream", "--engine", "analytic")
        found.append(("routeaudit score --stream --engine analytic, 1,000,000 x 100 cells, P = 4", measured))
    return found
