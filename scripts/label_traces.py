"""Join the shards of a cell, and label answers by rule and by the study's judges."""

from pathlib import Path

from routeaudit.deliberation.problems.base import read_problems
from routeaudit.deliberation.protocol.recording import joined
from routeaudit.deliberation.protocol.study import Cell, label_cell
from routeaudit.deliberation.trace import read_trace, write_trace
from routeaudit.provenance.stage import Stage, run_stage


def main(stage: Stage) -> None:
    # results/<study>/<actor>/<benchmark>/traces/
    folder = stage.outputs["trace"][0].parent
    actor, benchmark, _ = folder.parts[-3:]
    cell = Cell.from_sections(stage.cfg, actor, benchmark)
    shards = {path.parent for path in stage.inputs["shards"]}
    trace = joined([read_trace(shard) for shard in sorted(shards)])
    problems = read_problems(stage.input("problems"))
    with cell.panel(Path("results/journal"), f"{stage.study}-{actor}-{benchmark}-judges") as panel:
        write_trace(folder, label_cell(cell, trace, problems, panel))


if __name__ == "__main__":
    run_stage(main)
