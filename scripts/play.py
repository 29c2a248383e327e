"""Play the planned cells out in ToolSandbox: one shard of a phase's distinct plays."""

from dataclasses import asdict
from pathlib import Path

from routeaudit.config.played import PlayedStack
from routeaudit.cover.play.actors import open_actor
from routeaudit.cover.play.plays import plays_of_cells, plays_table, run_plays, shard_of_plays
from routeaudit.cover.play.world import open_sandbox
from routeaudit.execution import progress_for
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import INDEX_TASKS, PLAN, PLAYS, PUBLIC_TASKS

JOURNALS = Path("results/journal")


def main(stage: Stage) -> dict[str, object]:
    where, name = stage.wildcards, stage.wildcards["stack"]
    stack = PlayedStack.model_validate(stage.cfg[f"stacks.{name}"])
    schemas = {"plan": PLAN, "index": INDEX_TASKS, "tasks": PUBLIC_TASKS}
    tables = [read_table(stage.input(file), schema) for file, schema in schemas.items()]
    label = f"{stage.study}-{where['phase']}-{name}-plays-{where['shard']}-of-{where['n']}"
    with (
        open_sandbox(stage.cfg["execution.toolsandbox_python"], stack.sandbox_sha256) as world,
        open_actor(stack.role, world, JOURNALS, label) as actor,
    ):
        cells = plays_of_cells(*tables, world, actor, stack.replicates)
        mine = shard_of_plays(cells.values(), int(where["shard"]), int(where["n"]))
        played = run_plays(mine, world, actor, progress_for(label))
    write_table(stage.output("plays"), plays_table(cells, played, name), PLAYS)
    model = {} if actor.identity is None else asdict(actor.identity)
    return {"model": {"sandbox_sha256": world.sandbox_sha256, **model}}


if __name__ == "__main__":
    run_stage(main)
