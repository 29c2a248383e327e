"""Regret of the routers on development data, by repeated cross-fits in confined processes.

    PYTHONPATH=workflow/lib python benchmarks/routers.py --data-dir FOLDER_WITH_WIKIHOP_JSON --repeats 20

Worldhop and 2WikiMultihopQA only: routers are developed on these two and never on the evaluation sets.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from routeaudit.config import routers as config
from routeaudit.config.benchmarks import SourceFile, WikiMultihopConfig
from routeaudit.config.family import ProductFamily
from routeaudit.config.split import SplitConfig
from routeaudit.config.worldhop import WorldhopConfig
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.cover.boundary.publish import publish
from routeaudit.cover.freeze import (
    Confinement,
    PublicTables,
    TrainingTables,
    crossfit_assignment,
    freeze_each,
)
from routeaudit.cover.grading import grade_offline
from routeaudit.cover.split.assign import split_tasks
from routeaudit.tables import write_table
from routeaudit.tables.artifacts import (
    FAMILY,
    OUTCOMES,
    PLAN,
    PRIVATE_ANSWERS,
    PRIVATE_EVIDENCE,
    PUBLIC_CARDS,
    PUBLIC_TASKS,
)

ROUTERS: dict[str, config.RouterConfig] = {
    "random": config.Random(),
    "bm25": config.Bm25(),
    "leave_one_out": config.LeaveOneOut(),
    "calibrated_graph": config.CalibratedGraph(),
    "no_partition": config.NoPartition(),
    "unified_cover": config.UnifiedCover(),
    "unified_assignment": config.UnifiedCover(decoder="assignment"),
    "direct_set": config.DirectSet(),
    "learned_value": config.LearnedValue(),
    **{f"shortcut_{cue}": config.Shortcut(cue=cue) for cue in ("ids", "order", "lengths", "card_sizes")},
}
SLOTS = ((2, 2), (4, 3))


def studies(data_dir: str | None) -> Iterator[tuple[str, WorldhopConfig | WikiMultihopConfig, ProductFamily]]:
    """Name, benchmark and family of every development study."""
    for slots in SLOTS:
        family = ProductFamily(slots=slots)
        world = WorldhopConfig(n_tasks=96, hop1_workers=slots[0], hop2_workers=slots[1])
        yield f"worldhop {slots}", world, family
        for card in ("topics", "title") if data_dir else ():
            source = SourceFile(file="wikihop.json", data_dir=data_dir)
            yield f"2wiki {slots} {card}", WikiMultihopConfig(source=source, slots=slots, card=card), family


def measure(
    benchmark: WorldhopConfig | WikiMultihopConfig, family: ProductFamily, repeats: int, folder: Path
) -> dict[str, list[float]]:
    """Mean regret of every router, once per repeated cross-fit."""
    inventory = load_inventory(benchmark)
    index = split_tasks(inventory, SplitConfig())
    made = publish(inventory, index, family, seed=1)
    plan = made.family.select(["task_id", "team_id", "workers"]).append_column(
        "reason", [["complete"] * made.family.num_rows]
    )
    outcomes = grade_offline(PLAN.conform(plan, "plan"), made.evidence, made.answers, ["evidence_complete"])
    for name, table, schema in (
        ("tasks", made.tasks, PUBLIC_TASKS),
        ("cards", made.cards, PUBLIC_CARDS),
        ("family", made.family, FAMILY),
        ("evidence", made.evidence, PRIVATE_EVIDENCE),
        ("answers", made.answers, PRIVATE_ANSWERS),
        ("outcomes", outcomes, OUTCOMES),
    ):
        write_table(folder / f"{name}.parquet", table, schema)
    clusters = {row["task_id"]: row["cluster_id"] for row in index.to_pylist()}
    value = {(row["task_id"], row["team_id"]): row["value"] for row in outcomes.to_pylist()}
    file = {name: folder / f"{name}.parquet" for name in ("tasks", "cards", "family", "evidence", "outcomes")}
    frozen = freeze_each(
        ROUTERS,
        PublicTables(file["tasks"], file["cards"], file["family"]),
        TrainingTables(file["outcomes"], "evidence_complete"),
        [crossfit_assignment(clusters, 5, seed) for seed in range(repeats)],
        Confinement(private=[file["evidence"], file["outcomes"]], processes=2),
    )
    return {policy: [_regret(one[policy].table.to_pylist(), value) for one in frozen] for policy in ROUTERS}


def _regret(routes: list[dict[str, str]], value: dict[tuple[str, str], float]) -> float:
    """Every task has a team of value 1, so regret is what the routed teams miss."""
    return 1 - float(np.mean([value[row["task_id"], row["team_id"]] for row in routes]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", help="folder that holds wikihop.json; without one worldhop only")
    parser.add_argument("--repeats", type=int, default=20, help="cross-fits, each with its own folds")
    arguments = parser.parse_args()
    for name, benchmark, family in studies(arguments.data_dir):
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            regrets = measure(benchmark, family, arguments.repeats, Path(folder))
        print(f"{name}: {time.perf_counter() - started:.0f} s")
        for policy, found in regrets.items():
            print(f"  {policy:22s} {np.median(found):.3f}  ({min(found):.3f} to {max(found):.3f})")


if __name__ == "__main__":
    main()
