"""Seal the contract of a study and note it in the ledger."""

from pathlib import Path

from routeaudit.cover.evaluation.events import log_sealed
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_json


def main(stage: Stage) -> None:
    contract = make_contract(stage.study, stage.cfg)
    log_sealed(Path("seals"), stage.study, contract)
    write_json(stage.output("contract"), contract)


if __name__ == "__main__":
    run_stage(main)
