"""Exact regret per task and policy, once the routes are seen to be the frozen ones."""

from pathlib import Path

from routeaudit.cover.evaluation.events import HeldOut, check_frozen
from routeaudit.cover.evaluation.material import read_evaluation
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_table
from routeaudit.tables.results import REGRET


def main(stage: Stage) -> None:
    material = read_evaluation(stage.cfg, stage.inputs)
    check_frozen(Path("seals"), stage.study, HeldOut.of(material.index), material.route_digests)
    write_table(stage.output("regret"), material.evaluation.regret(), REGRET)


if __name__ == "__main__":
    run_stage(main)
