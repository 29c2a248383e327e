"""Every team that a router may choose for one task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations, product

from routeaudit.config.family import FamilyConfig, ProductFamily, SubsetFamily
from routeaudit.errors import InputError

Team = tuple[str, ...]


def legal_teams(family: FamilyConfig, slots: Mapping[str, int], where: str) -> list[Team]:
    """All teams of a task within the budget, each as its sorted worker ids, in sorted order.

    Parameters
    ----------
    slots : worker id -> the place in a team that the worker can fill

    Raises
    ------
    InputError : fewer workers than the family needs, or a budget that no team fits.
    """
    teams = _combinations(family, slots, where)
    affordable = [team for team in teams if team_cost(team, family) <= budget_cap(family)]
    if not affordable:
        raise InputError(
            where,
            f"a team that costs at most {budget_cap(family)}",
            f"the cheapest costs {min(team_cost(team, family) for team in teams)}",
            "raise family.budget_cap",
        )
    return sorted(affordable)


def team_cost(team: Team, family: FamilyConfig) -> float:
    """What asking the team's workers costs."""
    return family.worker_cost * len(team)


def budget_cap(family: FamilyConfig) -> float:
    """Most that a team may cost."""
    return family.largest_team * family.worker_cost if family.budget_cap is None else family.budget_cap


def _combinations(family: FamilyConfig, slots: Mapping[str, int], where: str) -> list[Team]:
    if isinstance(family, ProductFamily):
        return _products(family, slots, where)
    return _subsets(family, sorted(slots), where)


def _products(family: ProductFamily, slots: Mapping[str, int], where: str) -> list[Team]:
    places: dict[int, list[str]] = defaultdict(list)
    for worker, slot in slots.items():
        places[slot].append(worker)
    found = tuple(len(places[slot]) for slot in sorted(places))
    if found != family.slots:
        raise InputError(
            f"{where}, key 'workers'",
            f"workers per slot {family.slots}",
            f"{found}",
            "give family.slots and the benchmark's slots the same numbers",
        )
    return [tuple(sorted(team)) for team in product(*places.values())]


def _subsets(family: SubsetFamily, workers: list[str], where: str) -> list[Team]:
    if len(workers) < family.max_size:
        raise InputError(
            f"{where}, key 'workers'",
            f"at least {family.max_size} workers",
            f"{len(workers)}",
            "lower family.max_size or add workers",
        )
    sizes = range(family.min_size, family.max_size + 1)
    return [team for size in sizes for team in combinations(workers, size)]
