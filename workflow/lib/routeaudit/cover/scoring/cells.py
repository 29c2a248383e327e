"""The executed cells of one endpoint, aligned to the legal family: what every score reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.errors import InputError
from routeaudit.inference.units import FloatArray, IntArray

OK, INVALID, MISSING, NOT_PLANNED = range(4)
_STATUS = {"ok": OK, "invalid_run": INVALID, "missing": MISSING}


@dataclass(frozen=True, eq=False)
class Cells:
    """Outcomes of one endpoint over the legal family, tasks sorted by id, teams of a task by canonical rank.

    T tasks, N cells; cells of task t are ``offsets[t]:offsets[t + 1]``. ``members`` names a team by its
    workers, joined by +: the same in every task, where the ids in ``teams`` may be dealt anew. ``value`` is
    NaN where unobserved; an invalid run is observed and worth 0. ``n_workers`` is -1 where unknown.
    ``clusters`` are codes of the source clusters. ``replicates`` is (N, R) where more than one replicate was
    run, and ``value`` then their mean.
    """

    endpoint: str
    tasks: npt.NDArray[np.object_]
    clusters: IntArray
    offsets: IntArray
    teams: npt.NDArray[np.object_]
    members: npt.NDArray[np.object_]
    n_workers: IntArray
    value: FloatArray
    status: npt.NDArray[np.int8]
    replicates: FloatArray | None = None

    @property
    def n_tasks(self) -> int:
        """T."""
        return int(self.tasks.size)

    @property
    def sizes(self) -> IntArray:
        """A_t, the number of legal teams of each task."""
        return np.diff(self.offsets)

    @cached_property
    def task_of(self) -> IntArray:
        """Task index of each cell, (N,)."""
        return np.repeat(np.arange(self.n_tasks), self.sizes)

    @cached_property
    def observed(self) -> npt.NDArray[np.bool_]:
        """Cells with an outcome, (N,)."""
        return ~np.isnan(self.value)

    @property
    def complete(self) -> bool:
        """Every legal team of every task has an outcome."""
        return bool(self.observed.all())

    @property
    def counts(self) -> dict[str, int]:
        """planned = ok + invalid + missing, and the legal cells that were never planned."""
        tally = np.bincount(self.status, minlength=4)
        ok, invalid, missing, unplanned = (int(n) for n in tally)
        planned = ok + invalid + missing
        return {
            "planned": planned,
            "ok": ok,
            "invalid": invalid,
            "missing": missing,
            "not_planned": unplanned,
        }

    @property
    def cluster_codes(self) -> IntArray | None:
        """Cluster codes where a source cluster holds more than one task, else None."""
        return None if np.unique(self.clusters).size == self.n_tasks else self.clusters


def build_cells(
    family: pa.Table, outcomes: pa.Table, endpoint: str, clusters: Mapping[str, str] | None = None
) -> Cells:
    """Align ``outcomes`` to ``family`` for one endpoint.

    Parameters
    ----------
    family : task_id, team_id; optionally workers (default: the team id names the team), n_workers and
        canonical_rank (default order: fewest workers, then team id)
    outcomes : task_id, team_id, value; optionally endpoint (filtered), status (default ok) and replicate
    clusters : task_id -> cluster_id; default: every task is its own cluster

    Raises
    ------
    InputError : duplicate keys, an unknown task or team, an unknown status, a value outside [0, 1] or NaN
    with status ok
    """
    tasks = np.sort(np.asarray(pc.unique(family["task_id"]).to_pylist(), dtype=object))
    keys = _Keys.of(tasks, family)
    family = family.take(keys.order)
    status, value, replicates = _align(keys, outcomes, endpoint, family)
    return Cells(
        endpoint=endpoint,
        tasks=tasks,
        clusters=_cluster_codes(tasks, clusters),
        offsets=np.concatenate([[0], np.cumsum(np.bincount(keys.task, minlength=tasks.size))]),
        teams=_objects(family["team_id"]),
        members=_members(family),
        n_workers=_integers(family, "n_workers", -1),
        value=value,
        status=status,
        replicates=replicates,
    )


def _objects(column: pa.ChunkedArray) -> npt.NDArray[np.object_]:
    return np.asarray(column.to_pylist(), dtype=object)


def _members(family: pa.Table) -> npt.NDArray[np.object_]:
    if "workers" not in family.column_names:
        return _objects(family["team_id"])
    return np.array(["+".join(sorted(workers)) for workers in family["workers"].to_pylist()], dtype=object)


def _integers(table: pa.Table, name: str, default: int) -> IntArray:
    if name not in table.column_names:
        return np.full(table.num_rows, default, dtype=np.int64)
    return np.asarray(pc.fill_null(table[name].cast(pa.int64()), default)).astype(np.int64)


def _codes(column: pa.ChunkedArray, vocabulary: pa.Array) -> IntArray:
    """Index of each entry in ``vocabulary``, -1 where unknown."""
    return np.asarray(pc.fill_null(pc.index_in(column, value_set=vocabulary), -1)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Keys:
    """Composite (task, team) keys of the family, in family order, and what keys other tables alike."""

    order: IntArray
    task: IntArray
    key: IntArray
    by_key: IntArray
    task_names: pa.Array
    team_names: pa.Array

    @classmethod
    def of(cls, tasks: npt.NDArray[np.object_], family: pa.Table) -> _Keys:
        task_names = pa.array(tasks.tolist(), family["task_id"].type)
        team_names = pa.array(sorted(pc.unique(family["team_id"]).to_pylist()), family["team_id"].type)
        task, team = _codes(family["task_id"], task_names), _codes(family["team_id"], team_names)
        rank = _integers(family, "canonical_rank", 0)
        order = np.lexsort((team, _integers(family, "n_workers", -1), rank, task))
        key = (task * len(team_names) + team)[order]
        by_key = np.argsort(key, kind="stable")
        repeated = np.flatnonzero(np.diff(key[by_key]) == 0)
        if repeated.size:
            row = int(order[by_key[repeated[0]]])
            _duplicate("family", family, row)
        return cls(order, task[order], key, by_key, task_names, team_names)

    def locate(self, task: pa.ChunkedArray, team: pa.ChunkedArray) -> IntArray:
        """Cell index of each (task, team), -1 where the family does not hold it."""
        task_code, team_code = _codes(task, self.task_names), _codes(team, self.team_names)
        wanted = task_code * len(self.team_names) + team_code
        place = np.searchsorted(self.key[self.by_key], wanted)
        cell = self.by_key[np.minimum(place, self.key.size - 1)]
        known = (task_code >= 0) & (team_code >= 0) & (self.key[cell] == wanted)
        return np.where(known, cell, -1)


def _duplicate(what: str, table: pa.Table, row: int) -> None:
    task, team = table["task_id"][row].as_py(), table["team_id"][row].as_py()
    raise InputError(
        f"{what}: task {task!r}, team {team!r}",
        "one row per key",
        "more than one row",
        "remove the repetition, or number the rows in the column replicate",
    )


def _align(
    keys: _Keys, outcomes: pa.Table, endpoint: str, family: pa.Table
) -> tuple[npt.NDArray[np.int8], FloatArray, FloatArray | None]:
    if "endpoint" in outcomes.column_names:
        outcomes = outcomes.filter(pc.equal(outcomes["endpoint"], endpoint))
    cell = keys.locate(outcomes["task_id"], outcomes["team_id"])
    if (cell < 0).any():
        _outside_family(outcomes, int(np.argmax(cell < 0)))
    state, value = _checked_values(outcomes)
    replicate = _replicate_codes(outcomes)
    slot = cell * (int(replicate.max(initial=0)) + 1) + replicate
    order = np.argsort(slot, kind="stable")
    if (repeated := np.flatnonzero(np.diff(slot[order]) == 0)).size:
        _duplicate("outcomes", outcomes, int(order[repeated[0]]))
    return _spread(cell, replicate, state, value, family.num_rows)


def _outside_family(outcomes: pa.Table, row: int) -> None:
    task, team = outcomes["task_id"][row].as_py(), outcomes["team_id"][row].as_py()
    raise InputError(
        f"outcomes: task {task!r}, team {team!r}",
        "a team of the task's legal family",
        "no such row in the family",
        "check that outcomes and family come from the same contract",
    )


def _replicate_codes(outcomes: pa.Table) -> IntArray:
    if "replicate" not in outcomes.column_names:
        return np.zeros(outcomes.num_rows, dtype=np.int64)
    names = np.asarray(pc.unique(outcomes["replicate"]).to_pylist(), dtype=object)
    return _codes(outcomes["replicate"], pa.array(sorted(names.tolist()), outcomes["replicate"].type))


def _checked_values(outcomes: pa.Table) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Status codes and values of the rows; invalid runs are worth 0, missing rows NaN."""
    state = np.zeros(outcomes.num_rows, dtype=np.int8)
    if "status" in outcomes.column_names:
        vocabulary = pa.array(list(_STATUS), outcomes["status"].type)
        state = _codes(outcomes["status"], vocabulary).astype(np.int8)
    value = np.asarray(outcomes["value"].cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    wrong = (state == OK) & ~((value >= 0) & (value <= 1))
    if (state < 0).any() or wrong.any():
        _bad_row(outcomes, int(np.argmax((state < 0) | wrong)))
    value = np.where(state == INVALID, 0.0, np.where(state == MISSING, np.nan, value))
    return state, value


def _bad_row(outcomes: pa.Table, row: int) -> None:
    entry = {name: outcomes[name][row].as_py() for name in outcomes.column_names}
    raise InputError(
        f"outcomes: task {entry['task_id']!r}, team {entry['team_id']!r}",
        f"status one of {', '.join(_STATUS)}, and a value in [0, 1] where it is ok",
        f"status {entry.get('status', 'ok')!r}, value {entry['value']!r}",
        "scale the outcome to [0, 1], or mark the row missing (machine failed) or invalid_run (model failed)",
    )


def _spread(
    cell: IntArray, replicate: IntArray, state: npt.NDArray[np.int8], value: FloatArray, n_cells: int
) -> tuple[npt.NDArray[np.int8], FloatArray, FloatArray | None]:
    """Rows to cells: missing where one replicate is missing, invalid where every replicate is invalid."""
    width = int(replicate.max(initial=0)) + 1
    table = np.full((n_cells, width), np.nan)
    table[cell, replicate] = value
    states = np.full((n_cells, width), NOT_PLANNED, dtype=np.int8)
    states[cell, replicate] = state
    planned = states < NOT_PLANNED
    lost = (states == MISSING).any(axis=1)
    status = np.where((states == INVALID).sum(axis=1) == planned.sum(axis=1), INVALID, OK)
    status = np.where(lost, MISSING, np.where(planned.any(axis=1), status, NOT_PLANNED)).astype(np.int8)
    mean = np.where(planned, table, 0.0).sum(axis=1) / np.maximum(planned.sum(axis=1), 1)
    mean = np.where(status == NOT_PLANNED, np.nan, mean)
    return status, mean, table if width > 1 else None


def _cluster_codes(tasks: npt.NDArray[np.object_], clusters: Mapping[str, str] | None) -> IntArray:
    if clusters is None:
        return np.arange(tasks.size)
    lost = [task for task in tasks if task not in clusters]
    if lost:
        raise InputError(
            f"clusters: task {lost[0]!r}",
            "a cluster id for every task",
            "none",
            "take cluster_id from index/tasks",
        )
    names = np.asarray([str(clusters[task]) for task in tasks], dtype=object)
    _, first, codes = np.unique(names, return_index=True, return_inverse=True)
    ordered: IntArray = np.argsort(np.argsort(first))[codes]
    return ordered
