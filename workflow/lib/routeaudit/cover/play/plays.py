"""From the planned cells to PLAYS: each distinct play once, whichever teams share it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from routeaudit.cover.benchmarks.toolsandbox.families import FAMILY_TOOLS
from routeaudit.cover.play.actors import Actor
from routeaudit.cover.play.player import Played, play
from routeaudit.cover.play.world import World
from routeaudit.cover.stack.keys import CellKey
from routeaudit.errors import InputError
from routeaudit.execution.progress import Progress
from routeaudit.tables import canonical_json, text_digest
from routeaudit.tables.artifacts import PLAYS


class PlayKey(NamedTuple):
    """What a play depends on: teams whose tools differ only in ones that the role never wants share it."""

    scenario: str
    tools: tuple[str, ...]
    replicate: int

    @property
    def digest(self) -> str:
        """A short name for the play."""
        return text_digest(canonical_json(list(self)))[:16]


def plays_of_cells(
    plan: pa.Table, index: pa.Table, tasks: pa.Table, world: World, actor: Actor, replicates: int
) -> dict[CellKey, PlayKey]:
    """The play of every planned cell and replicate.

    Parameters
    ----------
    plan, index, tasks : PLAN, INDEX_TASKS and PUBLIC_TASKS; original ids are names of scenarios

    Raises
    ------
    InputError : a scenario that the sandbox lacks, or whose request is not the task's question.
    """
    scenario = dict(zip(index["task_id"].to_pylist(), index["original_id"].to_pylist(), strict=True))
    _check_requests(tasks, scenario, {cell["task_id"] for cell in plan.to_pylist()}, world)
    keys = {}
    for cell in plan.to_pylist():
        name = scenario[cell["task_id"]]
        demands = world.demands(name)
        held = {tool for family in cell["workers"] for tool in FAMILY_TOOLS[family]}
        tools = tuple(sorted(held & demands.tools & actor.wanted(demands)))
        for replicate in range(replicates):
            keys[CellKey(cell["task_id"], cell["team_id"], replicate)] = PlayKey(name, tools, replicate)
    return keys


def _check_requests(
    tasks: pa.Table, scenario: Mapping[str, str], planned: Iterable[str], world: World
) -> None:
    question = dict(zip(tasks["task_id"].to_pylist(), tasks["question"].to_pylist(), strict=True))
    for task in sorted(planned):
        request = "\n".join(world.demands(scenario[task]).request)
        if request != question[task]:
            raise InputError(
                f"scenario {scenario[task]!r}",
                f"the request {question[task]!r}, as the task has it",
                repr(request),
                "export the scenarios from the ToolSandbox that plays them",
            )


def shard_of_plays(keys: Iterable[PlayKey], shard: int, n: int) -> list[PlayKey]:
    """Every n-th of the distinct plays, beginning with number `shard`, counted from 1."""
    return sorted(set(keys))[shard - 1 :: n]


def run_plays(
    keys: Iterable[PlayKey], world: World, actor: Actor, progress: Progress
) -> dict[PlayKey, Played]:
    """Play each."""
    wanted = list(keys)
    progress.start(len(wanted), 0)
    played = {}
    for key in wanted:
        new_role = actor.new_role(key.replicate)
        played[key] = play(world, key.scenario, frozenset(key.tools), new_role)
        progress.advance()
    progress.stop()
    return played


def plays_table(cells: Mapping[CellKey, PlayKey], played: Mapping[PlayKey, Played], stack: str) -> pa.Table:
    """PLAYS of the stack named `stack`: a row for each cell whose play is among `played`."""
    rows = [
        {**cell._asdict(), "stack": stack, "play": key.digest, **_row(played[key])}
        for cell, key in cells.items()
        if key in played
    ]
    return PLAYS.from_rows(rows)


def _row(played: Played) -> dict[str, Any]:
    result = played.evaluation
    return {
        "milestones": None if result is None else result.milestones,
        "minefields": None if result is None else result.minefields,
        "similarity": None if result is None else result.similarity,
        "turns": None if result is None else result.turns,
        "actions": list(played.actions),
        "status": played.status,
    }
