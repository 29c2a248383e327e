"""routeaudit lineage: everything before and after a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from routeaudit.provenance.folder import Folder, Record, folder_of
from routeaudit.provenance.lineage import lineage


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "lineage",
        help="list what a file was made from and what was made from it",
        description="List all ancestors and descendants of FILE, each after what it was made from.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="an artifact with a record")
    parser.add_argument("--json", action="store_true", help="print JSON with stages and content digests")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print both lists."""
    folder, path = folder_of(arguments.file)
    found = lineage(folder, path)
    lists = {"ancestors": found.ancestors, "descendants": found.descendants}
    if arguments.json:
        told = {name: [_entry(folder, p) for p in paths] for name, paths in lists.items()}
        print(json.dumps({"file": _entry(folder, path)} | told, indent=1))
        return 0
    print(_line(folder, path))
    for name, paths in lists.items():
        print(f"{name}: {len(paths)}")
        for each in paths:
            print(f"  {_line(folder, each)}")
    return 0


def _entry(folder: Folder, path: str) -> dict[str, object]:
    record = folder.records.get(path)
    if not isinstance(record, Record):
        return {"path": path, "stage": None, "content": None, "inputs": []}
    inputs = sorted(record.inputs)
    return {"path": path, "stage": record.stage, "content": record.output.content, "inputs": inputs}


def _line(folder: Folder, path: str) -> str:
    record = folder.records.get(path)
    return f"{path}  [{record.stage if isinstance(record, Record) else 'source'}]"
