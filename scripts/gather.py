"""Merge the shards of a phase into one canonical table."""

import pyarrow as pa

from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import FINALS, MESSAGES, PLAYS

SCHEMAS = {"messages": MESSAGES, "finals": FINALS, "plays": PLAYS}


def main(stage: Stage) -> None:
    schema = SCHEMAS[stage.output("table").stem]
    parts = [read_table(path, schema) for path in stage.inputs["parts"]]
    write_table(stage.output("table"), pa.concat_tables(parts), schema)


if __name__ == "__main__":
    run_stage(main)
