"""Plan every legal team of every training task."""

from routeaudit.cover.coverage.planning import complete_plan, of_tasks
from routeaudit.cover.split.phases import phase_tasks
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import FAMILY, INDEX_TASKS, PLAN


def main(stage: Stage) -> None:
    index = read_table(stage.input("index"), INDEX_TASKS)
    family = read_table(stage.input("family"), FAMILY)
    tasks = phase_tasks(index, "train", crossfit=stage.cfg["split.crossfit_folds"] is not None)
    write_table(stage.output("plan"), complete_plan(of_tasks(family, tasks)), PLAN)


if __name__ == "__main__":
    run_stage(main)
