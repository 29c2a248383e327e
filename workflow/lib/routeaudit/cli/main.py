"""The routeaudit command: one sub-command per module of this package."""

from __future__ import annotations

import argparse
import importlib
import sys

from routeaudit import __version__
from routeaudit.errors import InputError

COMMANDS = ("plan", "score", "convert", "audit", "verify", "why", "lineage", "diff")


def build_parser() -> argparse.ArgumentParser:
    """The parser with every sub-command."""
    parser = argparse.ArgumentParser(
        prog="routeaudit",
        description="Evaluate routing in multi-agent LLM systems; inspect where results came from.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        importlib.import_module(f"routeaudit.cli.{command}").add_parser(subparsers)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a command; bad input ends with its message and status 1."""
    arguments = build_parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0
    return status
