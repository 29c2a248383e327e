"""routeaudit diff: what differs between two artifacts or two folders of results."""

from __future__ import annotations

import argparse
from pathlib import Path

from routeaudit.provenance.diff import diff


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "diff",
        help="say which inputs, parameters, code, model and rows differ",
        description="Compare two artifacts or two results folders. Exit status 0 when their contents agree, "
        "1 when they differ.",
    )
    parser.add_argument("first", metavar="A", type=Path, help="an artifact or a results folder")
    parser.add_argument("second", metavar="B", type=Path, help="another of the same kind")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; 0 when the contents are equal."""
    compared = diff(arguments.first, arguments.second)
    for line in compared.lines():
        print(line)
    return 0 if compared.equal else 1
