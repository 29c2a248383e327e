"""Holm over the tests of several studies, their criteria, and one page for all of them."""

from pathlib import Path

from routeaudit.cover.campaign.material import read_campaign
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.report.cover import render_campaign
from routeaudit.tables import write_table, write_text
from routeaudit.tables.results import CONTRASTS, CRITERIA


def main(stage: Stage) -> None:
    seals, joint = Path("seals"), read_campaign(stage.study, stage.cfg, stage.inputs, Path("seals"))
    write_table(stage.output("contrasts"), joint.contrasts, CONTRASTS)
    write_table(stage.output("criteria"), joint.criteria, CRITERIA)
    folders = [path.parent for path in stage.inputs["contrasts"]]
    page = render_campaign(folders, seals, stage.output("contrasts"), stage.wildcards["campaign"])
    write_text(stage.output("page"), page)


if __name__ == "__main__":
    run_stage(main)
