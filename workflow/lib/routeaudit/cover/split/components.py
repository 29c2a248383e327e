"""Connected components of tasks through shared source ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def components(source_ids: Sequence[Sequence[str]]) -> list[int]:
    """A component number for each task; two tasks share it when a chain of shared source ids links them.

    Components are numbered by their first task. A task without source ids is its own component.
    """
    columns = {
        source: number for number, source in enumerate(dict.fromkeys(s for t in source_ids for s in t))
    }
    n_tasks, n_nodes = len(source_ids), len(source_ids) + len(columns)
    pairs = [(task, n_tasks + columns[s]) for task, sources in enumerate(source_ids) for s in sources]
    rows, cols = zip(*pairs, strict=True) if pairs else ((), ())
    graph = csr_array((np.ones(len(pairs), dtype=np.int8), (rows, cols)), shape=(n_nodes, n_nodes))
    labels = connected_components(graph, directed=False)[1][:n_tasks]
    order = {label: number for number, label in enumerate(dict.fromkeys(labels.tolist()))}
    return [order[label] for label in labels.tolist()]
