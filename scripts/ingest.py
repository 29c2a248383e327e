"""Read or generate a benchmark's tasks and count what is kept and dropped."""

from pydantic import TypeAdapter

from routeaudit.config.benchmarks import BenchmarkConfig
from routeaudit.cover.benchmarks.inventory import write_inventory
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_json


def main(stage: Stage) -> None:
    inventory = load_inventory(TypeAdapter(BenchmarkConfig).validate_python(stage.cfg["benchmark"]))
    write_inventory(stage.output("tasks"), inventory)
    counts = {"total": inventory.total, "kept": len(inventory.tasks), "dropped": dict(inventory.dropped)}
    write_json(stage.output("inventory"), counts)


if __name__ == "__main__":
    run_stage(main)
