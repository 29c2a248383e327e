"""Pure parts of the study page: frontier, remarks, team rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.report.cover.frontier import Point, frontier
from routeaudit.report.cover.shortcuts import reading
from routeaudit.report.cover.spelling import difference, level, remarks_below, share
from routeaudit.report.cover.teams import _held

_COORDINATES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
_POINTS = st.lists(st.tuples(_COORDINATES, _COORDINATES), min_size=1, max_size=8)


def _points(pairs: list[tuple[float, float]]) -> list[Point]:
    return [Point(f"p{n}", cost, {"estimate": regret}) for n, (cost, regret) in enumerate(pairs)]


@given(_POINTS)
def test_frontier_holds_exactly_the_coordinates_that_none_beats(pairs: list[tuple[float, float]]) -> None:
    kept = {(point.cost, point.regret) for point in frontier(_points(pairs))}
    unbeaten = {
        (c, r) for c, r in pairs if not any((x <= c and y <= r) and (x, y) != (c, r) for x, y in pairs)
    }
    assert kept == unbeaten


@given(_POINTS)
def test_frontier_rises_in_cost_and_falls_in_regret(pairs: list[tuple[float, float]]) -> None:
    kept = frontier(_points(pairs))
    assert [p.cost for p in kept] == sorted({p.cost for p in kept})
    assert [p.regret for p in kept] == sorted({p.regret for p in kept}, reverse=True)


@pytest.mark.parametrize(
    ("workers", "words"),
    [
        ({"a", "b"}, "gold team"),
        ({"a", "b", "c"}, "all required and more"),
        ({"a", "c"}, "only the first required"),
        ({"b", "c"}, "only the second required"),
        ({"c", "d"}, "no required worker"),
    ],
)
def test_a_team_is_named_by_the_required_workers_it_holds(workers: set[str], words: str) -> None:
    assert _held(["a", "b"], workers)[1] == words


def test_a_team_of_a_study_without_required_workers_is_not_called_gold() -> None:
    assert _held([], {"a"})[1] == "team"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.26, 0.4, "better than chance"), (0.2, 0.3, "like chance"), (0.1, 0.24, "worse than chance"),
     (None, None, "not comparable")],
)  # fmt: skip
def test_reading_of_an_attacker_sets_its_interval_against_chance(
    low: float | None, high: float | None, words: str
) -> None:
    assert words in reading({"lower": low, "upper": high}, 0.25)


def test_unidentified_rows_show_bounds_and_never_a_number() -> None:
    row = {"estimate": None, "bound_lower": 0.1, "bound_upper": 0.25, "numerator": None, "denominator": 14}
    assert level(row) == difference(row) == "0.100 to 0.250"
    assert share(row) == "–/14"


def test_whole_numerators_have_no_decimals_and_graded_ones_do() -> None:
    assert share({"numerator": 3.0, "denominator": 24}) == "3/24"
    assert share({"numerator": 3.25, "denominator": 24}) == "3.25/24"


def test_a_remark_that_holds_for_every_row_is_said_once() -> None:
    rows = [
        {"subject": name, "status_reasons": [], "flags": ["frozen_within_this_run", *more], "reason": ""}
        for name, more in (("a", []), ("b", ["zero_variance"]))
    ]
    below = remarks_below(rows, "subject")
    assert below.count("frozen within this run") == 1
    assert "<dt>all rows</dt>" in below
    assert "<dt>b</dt>" in below
