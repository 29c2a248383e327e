"""Grade every planned cell on every endpoint; the first held-out grading is an event of the ledger."""

from pathlib import Path

from routeaudit.cover.evaluation.events import HeldOut, log_first_outcome
from routeaudit.cover.grading.phase import grade_phase
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_json, read_table, write_table
from routeaudit.tables.artifacts import INDEX_TASKS, OUTCOMES


def main(stage: Stage) -> None:
    if stage.wildcards["phase"] == "heldout":
        heldout = HeldOut.of(read_table(stage.input("index"), INDEX_TASKS))
        log_first_outcome(Path("seals"), stage.study, read_json(stage.contract)["digest"], heldout)
    write_table(stage.output("outcomes"), grade_phase(stage.cfg, stage.inputs), OUTCOMES)


if __name__ == "__main__":
    run_stage(main)
