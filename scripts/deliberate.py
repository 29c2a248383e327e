"""Deliberate on one shard of the problems; every finished request is in the journal before it is used."""

from pathlib import Path

from routeaudit.deliberation.problems.base import read_problems
from routeaudit.deliberation.protocol.study import Cell, problem_shard, run_cell
from routeaudit.deliberation.trace import write_trace
from routeaudit.provenance.stage import Stage, run_stage


def main(stage: Stage) -> None:
    # results/<study>/<actor>/<benchmark>/shards/<i>-of-<n>/
    folder = stage.outputs["trace"][0].parent
    actor, benchmark, _, shard = folder.parts[-4:]
    cell = Cell.from_sections(stage.cfg, actor, benchmark)
    part, n_parts = map(int, shard.split("-of-"))
    problems = problem_shard(read_problems(stage.input("problems")), part, n_parts)
    with cell.panel(Path("results/journal"), f"{stage.study}-{actor}-{benchmark}-{shard}") as panel:
        write_trace(folder, run_cell(cell, problems, panel))


if __name__ == "__main__":
    run_stage(main)
