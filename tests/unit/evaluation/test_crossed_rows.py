"""Four stacks that cross two worker and two finalizer models, and the effects shown for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from routeaudit.cover.evaluation.crossed import METRICS, crossed_rows, crossing
from routeaudit.cover.scoring.cells import build_cells
from routeaudit.cover.scoring.contrasts import Contrast, Scored
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.cover.scoring.status import EvidentialStatus, Status
from routeaudit.inference.plan import InferencePlan

TASKS = [f"t{i:02d}" for i in range(40)]
FAMILY = pa.table({"task_id": np.repeat(TASKS, 2), "team_id": ["a", "b"] * len(TASKS)})
CONTRAST = Contrast(id="gain", policy="p", reference="q", endpoint="e")


def _stack(worker: str, finalizer: str) -> dict[str, Any]:
    return {"worker": {"model": {"name": worker}}, "finalizer": {"model": {"name": finalizer}}}


STACKS = {f"{w}_{f}": _stack(w, f) for w in ("s", "g") for f in ("s", "g")}


def _scored(gains: int) -> Scored:
    """Policy p takes team a, which is right where b is not in the first `gains` tasks."""
    values = [value for i in range(len(TASKS)) for value in (float(i < gains), 0.0)]
    cells = build_cells(FAMILY, FAMILY.append_column("value", pa.array(values)), "e")
    return Scored(
        cells, locate_routes(cells, {"p": dict.fromkeys(TASKS, "a"), "q": dict.fromkeys(TASKS, "b")})
    )


def test_four_stacks_of_two_by_two_models_are_crossed_whatever_they_are_called() -> None:
    models = crossing(dict(zip("abcd", STACKS.values(), strict=True)))
    assert list(models) == ["a", "b", "c", "d"]
    assert len(set(models.values())) == 4


@pytest.mark.parametrize(
    "stacks",
    [
        {},
        {"s": STACKS["s_s"]},
        {name: stack for name, stack in STACKS.items() if name != "g_g"},
        STACKS | {"g_g": _stack("g", "other")},
        STACKS | {"more": _stack("s", "s")},
    ],
)
def test_other_stacks_are_not_crossed(stacks: dict[str, Any]) -> None:
    assert crossing(stacks) == {}


def test_a_gain_that_depends_on_the_finalizer_alone_is_that_interaction() -> None:
    """Gains .25 under finalizer s and .50 under g, with either worker."""
    scored = {name: _scored(10 if name.endswith("s") else 20) for name in STACKS}
    rows = crossed_rows(
        scored, crossing(STACKS), CONTRAST, InferencePlan(), EvidentialStatus(Status.secondary)
    )
    found = {row["metric"]: row for row in rows}
    assert set(found) == set(METRICS)
    assert found["main"]["estimate"] == pytest.approx(0.375)
    assert abs(float(str(found["interaction_router_finalizer"]["estimate"]))) == pytest.approx(0.25)
    assert found["interaction_router_worker"]["estimate"] == 0
    assert found["interaction_three_way"]["estimate"] == 0
    assert float(str(found["interaction_router_finalizer"]["detectable"])) > 0
    assert not any(row["adjusted"] for row in rows)
