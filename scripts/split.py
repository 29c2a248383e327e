"""Deal whole source components, or whole variants, to training and held-out; report what could leak."""

from routeaudit.config.split import split_of
from routeaudit.cover.benchmarks.inventory import read_inventory
from routeaudit.cover.split.assign import split_tasks
from routeaudit.cover.split.leakage import leakage_report
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_json, write_table
from routeaudit.tables.artifacts import INDEX_TASKS


def main(stage: Stage) -> None:
    config = split_of(stage.cfg["split"])
    inventory = read_inventory(stage.input("tasks"))
    index = split_tasks(inventory, config)
    write_table(stage.output("index"), index, INDEX_TASKS)
    write_json(stage.output("leakage"), leakage_report(inventory, index, config))


if __name__ == "__main__":
    run_stage(main)
