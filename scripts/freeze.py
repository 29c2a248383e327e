"""Fit every router in a process of its own and freeze its routes for the held-out tasks."""

from pathlib import Path

from routeaudit.cover.evaluation.events import HeldOut, log_frozen
from routeaudit.cover.freeze.study import frozen_tables
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_json, read_table, write_json, write_table
from routeaudit.tables.artifacts import FROZEN_ROUTES, INDEX_TASKS


def main(stage: Stage) -> None:
    index = read_table(stage.input("index"), INDEX_TASKS)
    routes, headers = frozen_tables(stage.study, stage.cfg, stage.inputs, index)
    contract = read_json(stage.contract)["digest"]
    for header in headers.values():
        log_frozen(Path("seals"), stage.study, contract, HeldOut.of(index), header)
    write_table(stage.output("routes"), routes, FROZEN_ROUTES)
    write_json(stage.output("headers"), headers)


if __name__ == "__main__":
    run_stage(main)
