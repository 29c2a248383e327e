"""A streamed table scores like the same table in memory, whatever the batch borders."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routeaudit.cover.scoring import streaming
from routeaudit.cover.scoring.cells import build_cells
from routeaudit.cover.scoring.contrasts import Contrast, Scored, evaluate_contrasts
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.cover.scoring.scores import score
from routeaudit.errors import InputError
from routeaudit.inference.plan import InferencePlan

PLAN = InferencePlan(resamples=999, digest="contract")


def table(ragged, tasks=60):
    rng = np.random.default_rng(0)
    rows = []
    for t in range(tasks):
        teams = [f"a{a}" for a in range(int(rng.integers(3, 7)) if ragged else 5)]
        if ragged:
            rng.shuffle(teams)
        rows += [{"task_id": f"t{t:03d}", "team_id": team, "outcome": float(rng.random())} for team in teams]
    return rows


ROUTES = {
    "p": {f"t{t:03d}": f"a{t % 3}" for t in range(60)},
    "q": {f"t{t:03d}": "a1" for t in range(60)},
}


def write(tmp_path, rows, routes=ROUTES):
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "o.parquet")
    flat = [
        {"policy": p, "task_id": task, "team_id": team}
        for p, chosen in routes.items()
        for task, team in chosen.items()
    ]
    pq.write_table(pa.Table.from_pylist(flat), tmp_path / "r.parquet")
    return tmp_path / "o.parquet", tmp_path / "r.parquet"


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("rows", [7, 64, 1 << 20])
def test_streaming_equals_scoring_in_memory(tmp_path, monkeypatch, ragged, rows):
    monkeypatch.setattr(streaming, "_ROWS", rows)
    listed = table(ragged)
    estimates, contrasts = streaming.streamed_scores(
        streaming.stream_outcomes(*write(tmp_path, listed)), PLAN
    )
    whole = pa.Table.from_pylist(listed).rename_columns(["task_id", "team_id", "value"])
    cells = build_cells(whole.select(["task_id", "team_id"]), whole, "outcome")
    located = locate_routes(cells, ROUTES)
    wanted = {(e.subject, e.metric): e for e in score(cells, located, "complete", PLAN)}
    for estimate in estimates:
        assert estimate.estimate == pytest.approx(
            wanted[estimate.subject, estimate.metric].estimate, abs=1e-12
        )
    declared = Contrast(id="p - q", policy="p", reference="q", endpoint="outcome", in_family=True)
    assert contrasts[0] == evaluate_contrasts({"outcome": Scored(cells, located)}, [declared], PLAN)[0]


@pytest.mark.parametrize(
    ("spoil", "where"),
    [
        (lambda rows: rows[::-1], "o.parquet"),
        (lambda rows: [dict(row, outcome=2.0) if i == 41 else row for i, row in enumerate(rows)], "row 42"),
        (lambda rows: [row for row in rows if (row["task_id"], row["team_id"]) != ("t007", "a1")], "'t007'"),
        (lambda rows: [*rows[:36], dict(rows[36]), *rows[36:]], "'t007'"),
    ],
)
def test_a_table_that_cannot_be_streamed_says_where(tmp_path, spoil, where):
    with pytest.raises(InputError) as error:
        streaming.stream_outcomes(*write(tmp_path, spoil(table(False))))
    assert where in error.value.where


def test_every_task_needs_a_route(tmp_path):
    routes = {"p": {task: team for task, team in ROUTES["p"].items() if task != "t009"}}
    with pytest.raises(InputError, match="task 't009'"):
        streaming.stream_outcomes(*write(tmp_path, table(False), routes))
