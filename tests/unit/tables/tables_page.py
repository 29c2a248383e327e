"""docs/tables.md: what is read, what is refused and what the message says, from the examples themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import foreign_cases as cases
import pytest

from routeaudit.cli.main import build_parser
from routeaudit.errors import InputError

START = "## What is read\n"


def message(refused: cases.Refused, folder: Path, monkeypatch: pytest.MonkeyPatch) -> InputError:
    """What the command says, run in a folder with the good files and those of the example."""
    good = {"o.csv": cases.OUTCOMES, "r.csv": cases.ROUTES, "c.csv": cases.CANDIDATES}
    for name, content in (good | refused.files).items():
        (folder / name).write_bytes(content)
    monkeypatch.chdir(folder)
    arguments = build_parser([refused.argv[0]]).parse_args(refused.argv)
    with pytest.raises(InputError) as told:
        arguments.run(arguments)
    return told.value


def examples(messages: Sequence[InputError]) -> str:
    """The page from START on."""
    read = [f"| {c.what} | `{c.name}` | {_shown(c.content)} |" for c in cases.READ]
    parts = [START, "All of these are the same table.\n"]
    parts += ["\n".join(["| what | file | content |", "|---|---|---|", *read]) + "\n", "## What is refused\n"]
    for command in ("score", "audit", "convert"):
        rows = [
            _row(refused, told)
            for refused, told in zip(cases.REFUSED, messages, strict=True)
            if refused.argv[0] == command
        ]
        head = ["| what is wrong | example | where | expected | found | hint |", "|---|---|---|---|---|---|"]
        parts += [f"### By `routeaudit {command}`\n", "\n".join([*head, *rows]) + "\n"]
    return "\n".join(parts)


def _row(refused: cases.Refused, told: InputError) -> str:
    cells = (refused.what, _example(refused), told.where, told.expected, told.found, told.hint)
    return (
        "| " + " | ".join(cell if i == 1 else cell.replace("|", "\\|") for i, cell in enumerate(cells)) + " |"
    )


def _example(refused: cases.Refused) -> str:
    return _files(refused.files) or f"`{' '.join(refused.argv[:2])}`"


def _files(files: Mapping[str, bytes]) -> str:
    return " ".join(f"{name}: {_shown(content)}" for name, content in files.items())


def _shown(content: bytes) -> str:
    if not content:
        return "nothing"
    if not content.isascii() or b"\x00" in content:
        return (
            f"{len(content)} bytes, `{content[:12].hex(' ')} ...`" if len(content) > 40 else f"`{content!r}`"
        )
    lines = content.decode().splitlines()
    return " ⏎ ".join(f"`{line}`".replace("|", "\\|").replace("\t", "⇥") for line in lines if line)
