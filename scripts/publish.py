"""Write the public view, the legal family and the private tables, with opaque ids."""

from pydantic import TypeAdapter

from routeaudit.config.family import FamilyConfig
from routeaudit.cover.benchmarks.inventory import read_inventory
from routeaudit.cover.boundary.publish import publish
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import (
    FAMILY,
    INDEX_TASKS,
    PRIVATE_ANSWERS,
    PRIVATE_EVIDENCE,
    PUBLIC_CARDS,
    PUBLIC_TASKS,
)


def main(stage: Stage) -> None:
    index = read_table(stage.input("index"), INDEX_TASKS)
    family = TypeAdapter(FamilyConfig).validate_python(stage.cfg["family"])
    made = publish(read_inventory(stage.input("tasks")), index, family, stage.cfg["split.seed"])
    write_table(stage.output("tasks"), made.tasks, PUBLIC_TASKS)
    write_table(stage.output("cards"), made.cards, PUBLIC_CARDS)
    write_table(stage.output("family"), made.family, FAMILY)
    write_table(stage.output("evidence"), made.evidence, PRIVATE_EVIDENCE)
    write_table(stage.output("answers"), made.answers, PRIVATE_ANSWERS)


if __name__ == "__main__":
    run_stage(main)
