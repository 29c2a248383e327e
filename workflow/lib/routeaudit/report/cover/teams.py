"""How teams line up across tasks: by name where workers persist, else by which required workers they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from routeaudit.report.cover.study import Study
from routeaudit.tables import artifacts

GOLD, LARGER, NONE, OTHER = "gold team", "all required and more", "no required worker", "team"
_PLACES = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True, eq=False)
class TeamRows:
    """The row of each legal team of the held-out tasks.

    `frame` has task_id, team_id, workers, row (its name), place (order of rows), gold (it holds all required
    workers) and held (which of them it holds, in words).
    """

    frame: pd.DataFrame
    persistent: bool


def team_rows(study: Study) -> TeamRows:
    """Line up the held-out tasks' teams."""
    heldout = set(study.index.loc[study.index["split"] == "heldout", "task_id"])
    family = study.family[study.family["task_id"].isin(heldout)].sort_values(["task_id", "canonical_rank"])
    required = _required(study)
    held = [
        _held(required.get(task, ()), set(workers))
        for task, workers in zip(family["task_id"], family["workers"], strict=True)
    ]
    family = family.assign(held=[words for _, words in held], rank=[rank for rank, _ in held])
    family["gold"] = family["held"].isin((GOLD, LARGER))
    return _by_name(family) if _persistent(family) else _by_holding(family)


def _required(study: Study) -> Mapping[str, Sequence[str]]:
    """Task -> required workers in the order of their slots; empty where a study knows no required team."""
    if not study.has("private/answers.parquet"):
        return {}
    answers = study.table("private/answers.parquet", artifacts.PRIVATE_ANSWERS)
    evidence = study.table("private/evidence.parquet", artifacts.PRIVATE_EVIDENCE)
    places = zip(evidence["task_id"], evidence["worker_id"], evidence["slot"], strict=True)
    slots = {(task, worker): slot for task, worker, slot in places}
    teams = zip(answers["task_id"], answers["required_team"], strict=True)
    return {task: _in_slots(list(team), task, slots) for task, team in teams}


def _in_slots(team: list[str], task: str, slots: Mapping[tuple[str, str], int]) -> list[str]:
    return sorted(team, key=lambda worker: (slots.get((task, worker), 0), worker))


def _held(required: Sequence[str], workers: set[str]) -> tuple[int, str]:
    """Order and words for the required workers that a team holds."""
    places = [place for place, worker in enumerate(required) if worker in workers]
    if not required:
        return 0, OTHER
    if len(places) == len(required):
        return (0, GOLD) if len(workers) == len(required) else (1, LARGER)
    if not places:
        return 99, NONE
    if len(required) > len(_PLACES) or len(places) > 1:
        return 10 * (len(required) - len(places)), f"{len(places)} of {len(required)} required"
    return 10 * len(required) + places[0], f"only the {_PLACES[places[0]]} required"


def _persistent(family: pd.DataFrame) -> bool:
    """Workers persist where every task has the same teams and names that were not dealt per task (w1, w2)."""
    teams = family["workers"].map(lambda workers: " ".join(sorted(workers)))
    same = teams.groupby(family["task_id"]).agg(frozenset).nunique() == 1
    dealt = family["workers"].map(lambda team: all(w[:1] == "w" and w[1:].isdigit() for w in team)).all()
    return bool(same and not dealt)


def _by_name(family: pd.DataFrame) -> TeamRows:
    names = family["workers"].map(lambda workers: " + ".join(sorted(workers)))
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return TeamRows(family.assign(row=names, place=names.map(order)), persistent=True)


def _by_holding(family: pd.DataFrame) -> TeamRows:
    within = family.groupby(["task_id", "held"]).cumcount() + 1
    several = within.groupby(family["held"]).transform("max") > 1
    names = family["held"].where(~several, family["held"] + " · " + within.astype(str))
    return TeamRows(family.assign(row=names, place=1000 * family["rank"] + within), persistent=False)
