"""Make a cell's trace again from the journal alone; it must be the recorded one."""

from pathlib import Path

from routeaudit.deliberation.audit import trace_digests
from routeaudit.deliberation.problems.base import read_problems
from routeaudit.deliberation.protocol.study import Cell, replay_cell
from routeaudit.deliberation.trace import read_trace
from routeaudit.errors import InputError
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_json


def main(stage: Stage) -> None:
    folder = stage.inputs["trace"][0].parent
    actor, benchmark, _ = folder.parts[-3:]
    cell = Cell.from_sections(stage.cfg, actor, benchmark)
    problems = read_problems(stage.input("problems"))
    writer = f"{stage.study}-{actor}-{benchmark}-replay"
    recorded = trace_digests(read_trace(folder))
    replayed = trace_digests(replay_cell(cell, problems, Path("results/journal"), writer))
    if replayed != recorded:
        differing = ", ".join(sorted(name for name in recorded if recorded[name] != replayed.get(name)))
        raise InputError(
            str(folder), "the tables that the journal gives", f"others: {differing}", "run the cell again"
        )
    write_json(stage.output("replay"), {"equal": True, "digests": recorded})


if __name__ == "__main__":
    run_stage(main)
