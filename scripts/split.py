"""Deal whole source components, or whole variants, to training and held-out."""

from routeaudit.config.split import split_of
from routeaudit.cover.benchmarks.inventory import read_inventory
from routeaudit.cover.split.assign import split_tasks
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_table
from routeaudit.tables.artifacts import INDEX_TASKS


def main(stage: Stage) -> None:
    index = split_tasks(read_inventory(stage.input("tasks")), split_of(stage.cfg["split"]))
    write_table(stage.output("index"), index, INDEX_TASKS)


if __name__ == "__main__":
    run_stage(main)
