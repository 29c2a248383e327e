"""Which teams are legal and what they cost."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from pydantic import ValidationError

from routeaudit.config.family import ProductFamily, SubsetFamily
from routeaudit.cover.family.legal import budget_cap, legal_teams, team_cost
from routeaudit.errors import InputError

SLOTS = {"w3": 0, "w1": 1, "w5": 0, "w2": 1, "w7": 0, "w4": 0, "w6": 1}
FAMILIES = ["contacts", "device", "messaging", "reminders", "search"]


def test_four_by_three_slots_give_twelve_teams_of_one_worker_each() -> None:
    teams = legal_teams(ProductFamily(slots=(4, 3)), SLOTS, "t1")
    expected = {
        tuple(sorted((first, second))) for first in ("w3", "w5", "w7", "w4") for second in ("w1", "w2", "w6")
    }
    assert len(teams) == 12
    assert set(teams) == expected


def test_five_tool_families_give_sixteen_teams_of_at_least_three() -> None:
    slots = dict.fromkeys(FAMILIES, 0)
    teams = legal_teams(SubsetFamily(min_size=3, max_size=5), slots, "t1")
    expected = [team for size in (3, 4, 5) for team in combinations(FAMILIES, size)]
    assert len(teams) == 16
    assert sorted(teams) == sorted(expected)


def test_all_subsets_of_twelve_workers_up_to_five_are_listed() -> None:
    slots = {f"w{number:02d}": 0 for number in range(1, 13)}
    teams = legal_teams(SubsetFamily(max_size=5), slots, "t1")
    assert len(teams) == len(set(teams)) == sum(comb(12, size) for size in range(1, 6)) == 1585


def test_budget_cap_is_part_of_legality() -> None:
    family = SubsetFamily(max_size=5, worker_cost=2.0, budget_cap=6.0)
    teams = legal_teams(family, dict.fromkeys(FAMILIES, 0), "t1")
    assert Counter(map(len, teams)) == {1: 5, 2: 10, 3: 10}
    assert max(team_cost(team, family) for team in teams) == 6.0


def test_without_a_cap_the_largest_team_is_affordable() -> None:
    assert budget_cap(ProductFamily(slots=(2, 2), worker_cost=1.5)) == 3.0
    assert budget_cap(SubsetFamily(max_size=4)) == 4.0


def test_cap_below_the_cheapest_team_is_refused() -> None:
    with pytest.raises(InputError, match="budget_cap"):
        legal_teams(ProductFamily(slots=(4, 3), budget_cap=1.0), SLOTS, "task 't1'")


@pytest.mark.parametrize("slots", [(4, 4), (5, 3), (3, 3), (4, 3, 1)])
def test_another_number_of_workers_than_the_product_needs_is_refused(slots: tuple[int, ...]) -> None:
    with pytest.raises(InputError) as error:
        legal_teams(ProductFamily(slots=slots), SLOTS, "task 't1'")
    assert "(4, 3)" in error.value.found
    assert "task 't1'" in error.value.where


def test_task_without_workers_is_refused() -> None:
    with pytest.raises(InputError, match="workers per slot"):
        legal_teams(ProductFamily(), {}, "task 't1'")


def test_fewer_workers_than_the_largest_subset_is_refused() -> None:
    with pytest.raises(InputError, match="at least 5 workers"):
        legal_teams(SubsetFamily(max_size=5), {"w1": 0, "w2": 0}, "task 't1'")


def test_sizes_must_be_in_order() -> None:
    with pytest.raises(ValidationError, match="above max_size"):
        SubsetFamily(min_size=3, max_size=2)
