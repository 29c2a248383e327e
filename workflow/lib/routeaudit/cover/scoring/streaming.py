"""Complete outcome tables too large for memory: Parquet sorted by task, scored one row group at a time.

What stays in memory is per task, the best outcome and the outcome of each policy; never a cell per row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from routeaudit.cover.scoring.assess import Assessment, EndpointAssessment, ranking_of
from routeaudit.cover.scoring.contrasts import Contrast, ContrastResult, evaluate_differences
from routeaudit.cover.scoring.honesty import identical_policies
from routeaudit.cover.scoring.maxima import task_maximum
from routeaudit.cover.scoring.route_file import RouteFile, check_all_routed, check_tasks, read_routes
from routeaudit.cover.scoring.scores import from_inference
from routeaudit.errors import InputError
from routeaudit.inference.infer import infer_means
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Estimate
from routeaudit.inference.units import FloatArray, IntArray
from routeaudit.tables.foreign.table import check_parquet

_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class StreamedOutcomes:
    """Per-task results of a complete table: ``best`` (T,) and ``chosen`` (T, P); ``cells`` rows were read."""

    policies: tuple[str, ...]
    tasks: pa.Array
    best: FloatArray
    chosen: FloatArray
    cells: int


@dataclass(frozen=True, eq=False)
class _Layout:
    """Task ids in file order and the rows of each."""

    tasks: pa.Array
    offsets: IntArray


def stream_outcomes(outcomes: Path, routes: Path) -> StreamedOutcomes:
    """Read a Parquet table task_id, team_id, outcome of one endpoint without gaps, sorted by task_id.

    ``routes`` is any table of routes: policy, task_id, team_id. Raises InputError where the table is not
    sorted, an outcome is null or outside [0, 1], a routed team is listed twice for a task, or not at all.
    """
    check_parquet(outcomes, ("task_id", "team_id"), ("outcome",))
    layout = _layout(outcomes)
    policies, names, wanted = _wanted(read_routes(routes), layout.tasks, outcomes)
    best = np.empty(len(layout.tasks))
    chosen = np.empty((best.size, len(policies)))
    for first, last, codes, values in _whole_tasks(outcomes, layout, names):
        offsets = layout.offsets[first : last + 1] - layout.offsets[first]
        best[first:last] = task_maximum(values, offsets)
        chosen[first:last] = _chosen(
            values, codes, offsets, wanted[first:last], (outcomes, layout.tasks, first)
        )
    return StreamedOutcomes(policies, layout.tasks, best, chosen, int(layout.offsets[-1]))


def _layout(path: Path) -> _Layout:
    """First pass: the task_id column alone, run by run."""
    names: list[pa.Array] = []
    sizes: list[IntArray] = []
    for batch in pq.ParquetFile(path).iter_batches(_ROWS, columns=["task_id"]):
        runs = pc.run_end_encode(_text(batch.column(0)))
        names.append(runs.values)
        sizes.append(np.diff(np.asarray(runs.run_ends), prepend=0))
    tasks, counts = pa.chunked_array(names).combine_chunks(), np.concatenate(sizes)
    new = np.ones(len(tasks), dtype=bool)
    new[1:] = np.asarray(pc.not_equal(tasks[1:], tasks[:-1]))
    tasks = tasks.filter(pa.array(new))
    if not pc.all(pc.greater(tasks[1:], tasks[:-1])).as_py() and len(tasks) > 1:
        raise InputError(
            str(path), "rows sorted by task_id", "a task id that sorts before the one above", "sort it"
        )
    return _Layout(
        tasks, np.concatenate([[0], np.cumsum(np.bincount(np.cumsum(new) - 1, weights=counts))]).astype(int)
    )


def _text(column: pa.Array) -> pa.Array:
    return column if pa.types.is_string(column.type) else column.cast(pa.string())


def _wanted(routes: RouteFile, tasks: pa.Array, outcomes: Path) -> tuple[tuple[str, ...], pa.Array, IntArray]:
    """Policies, team names, and the team code that each policy wants for each task (T, P)."""
    check_tasks(routes, tasks, f"a task of {outcomes}")
    check_all_routed(routes, tasks, outcomes)
    table = routes.rows
    policies, names = pc.unique(table["policy"]), pc.unique(table["team_id"])
    rows, columns = (
        np.asarray(pc.index_in(table[name], value_set=known))
        for name, known in (("task_id", tasks), ("policy", policies))
    )
    wanted = np.full((len(tasks), len(policies)), -1, dtype=np.int64)
    wanted[rows, columns] = np.asarray(pc.index_in(table["team_id"], value_set=names))
    return tuple(policies.to_pylist()), names, wanted


def _whole_tasks(
    path: Path, layout: _Layout, names: pa.Array
) -> Iterator[tuple[int, int, IntArray, FloatArray]]:
    """Batches of whole tasks: first and last task, team code (-1: not wanted) and value of each row."""
    left_codes, left_values = np.empty(0, dtype=np.int64), np.empty(0)
    done, first = 0, 0
    for batch in pq.ParquetFile(path).iter_batches(_ROWS, columns=["team_id", "outcome"]):
        codes = np.asarray(pc.fill_null(pc.index_in(_text(batch.column("team_id")), value_set=names), -1))
        values = batch.column("outcome").cast(pa.float64()).to_numpy(zero_copy_only=False)
        if not np.all((values >= 0) & (values <= 1)):
            place = int(np.argmin((values >= 0) & (values <= 1)))
            row, found = done + left_values.size + place, values[place]
            raise InputError(
                f"{path}: row {row + 1}, column 'outcome'",
                "a number in [0, 1]",
                "nothing" if np.isnan(found) else f"{found:g}",
                f"write a share in [0, 1] in row {row + 1}; without --stream a row may be missing",
            )
        codes, values = np.concatenate([left_codes, codes]), np.concatenate([left_values, values])
        last = int(np.searchsorted(layout.offsets, done + values.size, side="right")) - 1
        whole = int(layout.offsets[last]) - done
        if last > first:
            yield first, last, codes[:whole], values[:whole]
        left_codes, left_values, done, first = codes[whole:], values[whole:], done + whole, last


def _chosen(
    values: FloatArray,
    codes: IntArray,
    offsets: IntArray,
    wanted: IntArray,
    place: tuple[Path, pa.Array, int],
) -> FloatArray:
    """Outcome of the wanted teams, (tasks, P)."""
    width, names = int(offsets[1]), int(max(codes.max(), wanted.max())) + 1
    sizes = np.diff(offsets)
    table = codes.reshape(-1, width) if np.all(sizes == width) else None
    if table is not None and np.array_equal(table, np.broadcast_to(table[0], table.shape)):
        found = _lookup(table[0], offsets[:-1], wanted, names)
    else:
        found = _search(codes, sizes, wanted, names)
    if (found < 0).any():
        _not_listed(place, int(np.argwhere(found < 0)[0, 0]))
    return values[found]


def _lookup(row: IntArray, starts: IntArray, wanted: IntArray, names: int) -> IntArray:
    """Row of each wanted team where every task lists the same teams in one order; -1 unless listed once."""
    routed = np.flatnonzero(row >= 0)
    position = np.full(names, -1)
    position[row[routed]] = routed
    position[np.bincount(row[routed], minlength=names) > 1] = -1
    place = position[wanted]
    return np.where(place >= 0, starts[:, None] + place, -1)


def _search(codes: IntArray, sizes: IntArray, wanted: IntArray, names: int) -> IntArray:
    """Row of each wanted team where tasks list their teams differently; -1 unless it is listed once."""
    kept = np.flatnonzero(codes >= 0)
    keys = np.repeat(np.arange(sizes.size), sizes)[kept] * names + codes[kept]
    order = np.argsort(keys, kind="stable")
    asked = np.arange(sizes.size)[:, None] * names + wanted
    first, through = (np.searchsorted(keys[order], asked, side=side) for side in ("left", "right"))
    return np.where(through - first == 1, kept[order[np.minimum(first, keys.size - 1)]], -1)


def _not_listed(place: tuple[Path, pa.Array, int], task: int) -> None:
    path, tasks, first = place
    raise InputError(
        f"{path}: task {tasks[first + task].as_py()!r}",
        "one row for every routed team",
        "a routed team with no row or with two",
        "complete the table, or score it without --stream",
    )


def assess_stream(outcomes: Path, routes: Path, plan: InferencePlan) -> Assessment:
    """Assessment of a complete table too large for memory; source clusters and criteria are not read.

    Of the findings only those about outcomes are made: the teams behind them are not kept.
    """
    streamed = stream_outcomes(outcomes, routes)
    estimates, contrasts = streamed_scores(streamed, plan)
    chosen = dict(zip(streamed.policies, streamed.chosen.T, strict=True))
    count = streamed.cells
    part = EndpointAssessment(
        endpoint="outcome",
        regime="complete",
        why="every listed team of every task has an outcome (legal family: the teams listed for the task)",
        counts={"planned": count, "ok": count, "invalid": 0, "missing": 0, "not_planned": 0},
        support={"family": count},
        tasks=len(streamed.tasks),
        clusters=len(streamed.tasks),
        estimates=estimates,
        criteria=(),
        next_cells=(),
        findings=tuple(identical_policies(chosen)),
    )
    rankings = (ranking_of(part, chosen, contrasts, plan),) if contrasts else ()
    return Assessment((part,), contrasts, rankings)


def streamed_scores(
    streamed: StreamedOutcomes, plan: InferencePlan, endpoint: str = "outcome"
) -> tuple[tuple[Estimate, ...], tuple[ContrastResult, ...]]:
    """Value and regret of every policy and the oracle value, and all paired contrasts with Holm over them."""
    policies, chosen = streamed.policies, streamed.chosen
    names = [(policy, "value") for policy in policies] + [(policy, "regret") for policy in policies]
    names.append(("oracle", "oracle_value"))
    values = np.concatenate([chosen, streamed.best[:, None] - chosen, streamed.best[:, None]], axis=1)
    inferred = infer_means(values, "rate", plan)
    estimates = tuple(
        from_inference(subject, endpoint, metric, found)
        for (subject, metric), found in zip(names, inferred, strict=True)
    )
    pairs = list(combinations(range(len(policies)), 2))
    contrasts = [
        Contrast(
            id=f"{policies[p]} - {policies[q]}",
            policy=policies[p],
            reference=policies[q],
            endpoint=endpoint,
            in_family=True,
        )
        for p, q in pairs
    ]
    differences = (
        np.stack([chosen[:, p] - chosen[:, q] for p, q in pairs], axis=1) if pairs else chosen[:, :0]
    )
    return estimates, evaluate_differences(contrasts, differences, plan)
