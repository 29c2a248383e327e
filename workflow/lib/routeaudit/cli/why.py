"""routeaudit why: the chain from a file back to its sources."""

from __future__ import annotations

import argparse
from pathlib import Path

from routeaudit.provenance.folder import folder_of
from routeaudit.provenance.why import why


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "why",
        help="show how a file came to be, stage by stage back to the sources",
        description="Show what FILE is, when and from what it was made, with which parameters, code, "
        "contract and model, and the same for all it was made from.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="an artifact with a record")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the tree."""
    for line in why(*folder_of(arguments.file)):
        print(line)
    return 0
