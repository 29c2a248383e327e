"""Seal the contract of a campaign and note it in the campaign's own ledger."""

from pathlib import Path

from routeaudit.cover.campaign.seal import log_sealed
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_json


def main(stage: Stage) -> None:
    contract = make_contract(stage.study, stage.cfg)
    log_sealed(Path("seals"), contract)
    write_json(stage.output("contract"), contract)


if __name__ == "__main__":
    run_stage(main)
