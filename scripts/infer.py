"""Intervals, declared contrasts with Holm, criteria and evidential status."""

from pathlib import Path

from routeaudit.config.inference import StatsConfig, TestsConfig
from routeaudit.cover.evaluation.evaluate import inference_plan
from routeaudit.cover.evaluation.events import HeldOut, log_look
from routeaudit.cover.evaluation.history import History
from routeaudit.cover.evaluation.material import read_evaluation
from routeaudit.provenance.ledger import ledger_path, read_ledger
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_json, write_table
from routeaudit.tables.results import CONTRASTS, CRITERIA, SCORES


def main(stage: Stage) -> None:
    material, contract = read_evaluation(stage.cfg, stage.inputs), read_json(stage.contract)
    heldout, tests = HeldOut.of(material.index), TestsConfig.model_validate(stage.cfg["tests"])
    events = read_ledger(ledger_path(Path("seals"), stage.study))
    history = History(events, contract, heldout.digest, frozenset(heldout.sources), material.headers)
    plan = inference_plan(StatsConfig.model_validate(stage.cfg["stats"]), contract["digest"])
    evaluation = material.evaluation
    log_look(Path("seals"), stage.study, contract["digest"], heldout)
    write_table(stage.output("scores"), evaluation.scores(plan, history), SCORES)
    contrasts = evaluation.contrasts(plan, tests, history, stage.cfg["stacks"])
    write_table(stage.output("contrasts"), contrasts, CONTRASTS)
    write_table(stage.output("criteria"), evaluation.criteria(plan, tests, history), CRITERIA)


if __name__ == "__main__":
    run_stage(main)
