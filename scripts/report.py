"""Write the page of a study."""

from pathlib import Path

from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.report.cover import render_study
from routeaudit.tables import write_text


def main(stage: Stage) -> None:
    page = stage.output("page")
    write_text(page, render_study(page.parent, Path("seals"), stage.cfg["description"]))


if __name__ == "__main__":
    run_stage(main)
