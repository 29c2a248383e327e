"""Plan the held-out cells that the coverage regime needs, now that every route is frozen."""

from routeaudit.config.inference import CoverageConfig
from routeaudit.cover.coverage.planning import heldout_plan, of_tasks
from routeaudit.cover.coverage.routes import routes_by_policy
from routeaudit.cover.split.phases import phase_tasks
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import FAMILY, FROZEN_ROUTES, INDEX_TASKS, PLAN


def main(stage: Stage) -> None:
    heldout = phase_tasks(read_table(stage.input("index"), INDEX_TASKS), "heldout")
    family = of_tasks(read_table(stage.input("family"), FAMILY), heldout)
    routes = routes_by_policy(read_table(stage.input("routes"), FROZEN_ROUTES))
    plan = heldout_plan(family, routes, CoverageConfig.model_validate(stage.cfg["coverage"]))
    write_table(stage.output("plan"), plan, PLAN)


if __name__ == "__main__":
    run_stage(main)
