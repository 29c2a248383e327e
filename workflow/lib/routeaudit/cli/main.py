"""The routeaudit command: one sub-command per module of this package."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from routeaudit import __version__
from routeaudit.errors import InputError

COMMANDS = ("plan", "score", "convert", "audit", "verify", "why", "lineage", "diff")


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser with these sub-commands; each one's module is imported for it."""
    parser = argparse.ArgumentParser(
        prog="routeaudit",
        description="Evaluate routing in multi-agent LLM systems; inspect where results came from.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in commands:
        importlib.import_module(f"routeaudit.cli.{command}").add_parser(subparsers)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a command; bad input ends with its message and status 1."""
    words = sys.argv[1:] if argv is None else argv
    known = [words[0]] if words and words[0] in COMMANDS else COMMANDS
    arguments = build_parser(known).parse_args(words)
    try:
        status: int = arguments.run(arguments)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0
    return status


if __name__ == "__main__":
    raise SystemExit(main())
