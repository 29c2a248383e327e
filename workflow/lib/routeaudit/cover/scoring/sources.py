"""Source clusters of tasks, from the source ids beside their outcomes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse


def source_clusters(outcomes: pa.Table) -> dict[str, str] | None:
    """Cluster of each task: its connected component through shared source ids; None without source_id.

    A task without a source id is its own source.
    """
    if "source_id" not in outcomes.column_names:
        return None
    tasks = np.sort(np.asarray(pc.unique(outcomes["task_id"]).to_pylist(), dtype=object))
    pairs = _pairs(outcomes)
    names = pc.unique(pairs["source_id"])
    size = tasks.size + len(names)
    task = np.asarray(pc.index_in(pairs["task_id"], value_set=pa.array(tasks, pa.string())))
    source = tasks.size + np.asarray(pc.index_in(pairs["source_id"], value_set=names))
    graph = sparse.coo_array((np.ones(task.size), (task, source)), shape=(size, size))
    _, labels = sparse.csgraph.connected_components(graph, directed=False)
    return {str(name): f"c{label}" for name, label in zip(tasks, labels[: tasks.size], strict=True)}


def tasks_without_source(outcomes: pa.Table) -> int:
    """How many tasks have no source id although the table has the column."""
    if "source_id" not in outcomes.column_names:
        return 0
    return len(pc.unique(outcomes["task_id"])) - len(pc.unique(_pairs(outcomes)["task_id"]))


def _pairs(outcomes: pa.Table) -> pa.Table:
    """Distinct (task_id, source_id); a list of sources counts each."""
    column = outcomes["source_id"]
    if pa.types.is_list(column.type):
        lists, tasks = column.combine_chunks(), outcomes["task_id"].combine_chunks()
        pairs = pa.table(
            {"task_id": tasks.take(pc.list_parent_indices(lists)), "source_id": pc.list_flatten(lists)}
        )
    else:
        pairs = outcomes.select(["task_id", "source_id"])
    return pairs.filter(pc.is_valid(pairs["source_id"])).group_by(["task_id", "source_id"]).aggregate([])
