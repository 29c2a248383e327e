"""routeaudit verify: check every artifact against its record, contract and ledger."""

from __future__ import annotations

import argparse
from pathlib import Path

from routeaudit.provenance.verify import verify


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "verify",
        help="check artifacts against their records; exit 1 names the first broken link",
        description="Check every artifact under DIR: bytes, inputs, record, contract, ledger, frozen routes. "
        "Exit status 0 and OK, or 1 and the first broken link in dependency order.",
    )
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default="results", type=Path, help="default: results"
    )
    parser.add_argument(
        "--contract",
        metavar="STUDY=DIGEST",
        action="append",
        default=[],
        type=_contract,
        help="the contract that the present configuration of STUDY makes; another sealed one is an error",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Verify and print the outcome; 0 when every link holds."""
    verified = verify(arguments.folder, dict(arguments.contract))
    if verified.broken is not None:
        print(verified.broken)
        return 1
    print(f"OK: {verified.artifacts} artifacts, {verified.records} records, {verified.ledgers} ledgers")
    return 0


def _contract(text: str) -> tuple[str, str]:
    study, sign, digest = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"expected STUDY=DIGEST, found {text!r}")
    return study, digest
