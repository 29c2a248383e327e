"""An outcome table of P policies, each of which routes every task to its own team: some good, some bad."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np


def outcomes_of(policies: int, tasks: int, seed: int = 0) -> np.ndarray:
    """Binary outcomes (T, P): 55 % of the policies near .85, the others near .15."""
    rng = np.random.default_rng(seed)
    good = np.arange(policies) < 0.55 * policies
    skill = np.clip(np.where(good, 0.85, 0.15) + rng.normal(0, 0.03, policies), 0, 1)
    return (rng.random((tasks, policies)) < skill).astype(int)


def write_family(folder: Path, outcomes: np.ndarray) -> tuple[Path, Path]:
    """outcomes.csv and routes.csv of a table (T, P)."""
    tasks, policies = outcomes.shape
    cells = [(f"t{t:03d}", f"team{p:03d}", outcomes[t, p]) for t in range(tasks) for p in range(policies)]
    routes = [(f"p{p:03d}", f"t{t:03d}", f"team{p:03d}") for p in range(policies) for t in range(tasks)]
    return (
        _write(folder / "outcomes.csv", ("task_id", "team_id", "outcome"), cells),
        _write(folder / "routes.csv", ("policy", "task_id", "team_id"), routes),
    )


def _write(path: Path, head: tuple[str, ...], rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", newline="") as handle:
        csv.writer(handle).writerows([head, *rows])
    return path
