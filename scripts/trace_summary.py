"""Print what a cell's trace holds: valid polls, distinct confidences, mixed blocks, divergent pairs,
AUROC, cost."""

import argparse
from pathlib import Path

from routeaudit.deliberation.protocol.summary import summarise
from routeaudit.deliberation.trace import read_trace
from routeaudit.tables import read_json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cell", type=Path, help="folder of a cell: results/<study>/<actor>/<benchmark>")
    cell = parser.parse_args().cell
    for line in summarise(read_trace(cell / "traces"), read_json(cell / "card.json")):
        print(line)
    if read_json(cell / "replay.json")["equal"]:
        print("replay from the journal alone: equal content digests")


if __name__ == "__main__":
    main()
