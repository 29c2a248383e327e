"""Report what the two sides of a split still share."""

from routeaudit.config.split import split_of
from routeaudit.cover.benchmarks.inventory import read_inventory
from routeaudit.cover.split.leakage import leakage_report
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_json
from routeaudit.tables.artifacts import INDEX_TASKS


def main(stage: Stage) -> None:
    config = split_of(stage.cfg["split"])
    index = read_table(stage.input("index"), INDEX_TASKS)
    report = leakage_report(read_inventory(stage.input("tasks")), index, config)
    write_json(stage.output("leakage"), report)


if __name__ == "__main__":
    run_stage(main)
