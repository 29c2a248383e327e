"""Whole components of tasks dealt to the training and the held-out side."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

import pyarrow as pa

from routeaudit.config.split import SplitConfig, VariantSplit
from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.cover.boundary.opaque import task_ids
from routeaudit.cover.seeding import seeded_key
from routeaudit.cover.split.components import components
from routeaudit.cover.split.disjoint import check_disjoint, check_variants
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import INDEX_TASKS, SPLIT_HELDOUT, SPLIT_TRAIN, SPLIT_UNUSED


def split_tasks(inventory: Inventory, config: SplitConfig | VariantSplit) -> pa.Table:
    """Table `index/tasks`: opaque id, component and side of every task.

    Components are those of shared source ids under either rule: they are the units of inference.

    Raises
    ------
    InputError : more tasks wanted than there are, a task id twice, or a variant that no task has.
    """
    tasks = _in_opaque_order(inventory.tasks, config.seed)
    cluster = dict(zip(tasks, _cluster_ids(list(tasks.values())), strict=True))
    side = _by_variant(tasks, config) if isinstance(config, VariantSplit) else _by_source(cluster, config)
    rows: list[dict[str, object]] = [
        {
            "task_id": task_id,
            "original_id": task.original_id,
            "source_ids": list(task.source_ids),
            "cluster_id": cluster[task_id],
            "split": side[task_id],
            "tier": task.tier,
        }
        for task_id, task in tasks.items()
    ]
    index = INDEX_TASKS.from_rows(rows)
    check_variants(index) if isinstance(config, VariantSplit) else check_disjoint(index)
    return index


def _by_source(cluster: Mapping[str, str], config: SplitConfig) -> dict[str, str]:
    """Task -> side, whole components at a time."""
    left_over = SPLIT_TRAIN if config.n_train is None else SPLIT_UNUSED
    sizes = Counter(cluster.values())
    side = assign(sizes, targets(len(cluster), config), config.seed, left_over)
    return {task_id: side[component] for task_id, component in cluster.items()}


def _by_variant(tasks: Mapping[str, SourceTask], config: VariantSplit) -> dict[str, str]:
    """Task -> side, whole variants at a time."""
    known = {task.tier for task in tasks.values() if task.tier is not None}
    unknown = sorted(set(config.heldout_variants) - known)
    if unknown or not known - set(config.heldout_variants):
        raise InputError(
            "configuration, key 'split.heldout_variants'",
            f"some, not all, of the benchmark's variants: {', '.join(sorted(known)) or 'it has none'}",
            ", ".join(unknown or config.heldout_variants),
            "name variants to hold out, or split by source",
        )
    return {
        task_id: SPLIT_HELDOUT if task.tier in config.heldout_variants else SPLIT_TRAIN
        for task_id, task in tasks.items()
    }


def targets(n_tasks: int, config: SplitConfig) -> dict[str, int]:
    """Tasks wanted on each side; a cross-fit holds out all of them."""
    if config.crossfit_folds is not None:
        return {SPLIT_HELDOUT: n_tasks, SPLIT_TRAIN: 0}
    heldout = round(config.heldout_fraction * n_tasks) if config.n_heldout is None else config.n_heldout
    train = n_tasks - heldout if config.n_train is None else config.n_train
    if train < 0 or heldout + train > n_tasks:
        raise InputError(
            "configuration, key 'split'",
            f"at most the benchmark's {n_tasks} tasks",
            f"{heldout} held-out and {max(train, 0)} training tasks",
            "ask for fewer tasks or enlarge the benchmark",
        )
    return {SPLIT_HELDOUT: heldout, SPLIT_TRAIN: train}


def assign(
    sizes: Mapping[str, int], wanted: Mapping[str, int], seed: int, left_over: str = SPLIT_UNUSED
) -> dict[str, str]:
    """A side for each component: large ones first, equals in a seeded order.

    The side is drawn in proportion to the room that each has left, so that neither collects the large
    components. What fits on no side goes to `left_over`.
    """
    room = dict(wanted)
    side: dict[str, str] = {}
    for component in sorted(sizes, key=lambda c: (-sizes[c], seeded_key(seed, "component", c))):
        fitting = [name for name in room if room[name] >= sizes[component]]
        side[component] = _drawn(fitting, room, seed, component) if fitting else left_over
        if fitting:
            room[side[component]] -= sizes[component]
    return side


def _drawn(fitting: Sequence[str], room: Mapping[str, int], seed: int, component: str) -> str:
    limits = list(accumulate(room[name] for name in fitting))
    point = int(seeded_key(seed, "side", component)[:12], 16) % limits[-1]
    return fitting[bisect_right(limits, point)]


def _in_opaque_order(tasks: Sequence[SourceTask], seed: int) -> dict[str, SourceTask]:
    ids = task_ids([task.original_id for task in tasks], seed)
    if len(ids) != len(tasks):
        raise InputError(
            "source tasks, key 'original_id'",
            "each task id once",
            f"{len(tasks)} tasks with {len(ids)} ids",
            "remove the duplicate records",
        )
    return dict(sorted((ids[task.original_id], task) for task in tasks))


def _cluster_ids(tasks: Sequence[SourceTask]) -> list[str]:
    numbers = components([task.source_ids for task in tasks])
    digits = len(str(len(tasks)))
    return [f"c{number + 1:0{digits}d}" for number in numbers]
