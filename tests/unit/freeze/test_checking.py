"""Routes against the legal family."""

from __future__ import annotations

import pytest

from routeaudit.cover.freeze.checking import routes_table
from routeaudit.errors import InputError

LEGAL = {"t1": {"g01", "g02"}, "t2": {"g01"}, "t3": {"g01"}}
GOOD = [("t2", "g01"), ("t1", "g02")]


def rows(*routes: tuple[str, str]) -> list[dict[str, object]]:
    return [{"task_id": task, "team_id": team, "score": None, "fold": None} for task, team in routes]


def test_legal_routes_become_a_table_sorted_by_task() -> None:
    table = routes_table(rows(*GOOD), ("t1", "t2"), LEGAL, "routes")
    assert table["task_id"].to_pylist() == ["t1", "t2"]
    assert table["team_id"].to_pylist() == ["g02", "g01"]


@pytest.mark.parametrize(
    ("routes", "where", "found"),
    [
        ([*GOOD[:1], ("t1", "g09")], "routes, row 1, task 't1', key 'team_id'", "'g09'"),
        ([*GOOD, ("t9", "g01")], "routes, row 2, key 'task_id'", "'t9'"),
        ([*GOOD, ("t3", "g01")], "routes, row 2, key 'task_id'", "'t3'"),
        (GOOD[:1], "routes", "none for 't1'"),
        ([*GOOD, GOOD[0]], "routes, row with {'task_id': 't2'}", "the key twice"),
    ],
    ids=["illegal team", "unknown task", "task not to be routed", "missing task", "task twice"],
)
def test_a_bad_route_is_named_by_its_row(routes: list[tuple[str, str]], where: str, found: str) -> None:
    with pytest.raises(InputError) as raised:
        routes_table(rows(*routes), ("t1", "t2"), LEGAL, "routes")
    assert raised.value.where == where
    assert raised.value.found == found
