"""Dependencies of the library point one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import ROOT

LIBRARY = ROOT / "workflow" / "lib" / "routeaudit"

# A package may import those of a larger number, and itself; equal numbers never import each other.
LEVEL = {
    "cli": 0,
    "report": 1,
    "cover": 2,
    "deliberation": 2,
    "execution": 3,
    "inference": 3,
    "provenance": 4,
    "tables": 5,
    "config": 5,
    "errors": 6,
}
FORBIDDEN = {"snakemake", "hydra", "omegaconf"}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _edges() -> Iterator[tuple[Path, str, str]]:
    for path in sorted(LIBRARY.rglob("*.py")):
        here = path.relative_to(LIBRARY).with_suffix("").parts[0]
        for name in _imports(path):
            parts = name.split(".")
            if parts[0] == "routeaudit" and len(parts) > 1 and here != "__init__":
                yield path, here, parts[1]


def test_every_package_has_a_level() -> None:
    found = {p.name for p in LIBRARY.iterdir() if p.is_dir() and p.name != "__pycache__"} | {"errors"}
    assert found == set(LEVEL)


def test_imports_point_down_only() -> None:
    wrong = [
        f"{path.relative_to(LIBRARY)} imports {there}"
        for path, here, there in _edges()
        if here != there and LEVEL[there] <= LEVEL[here]
    ]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(FORBIDDEN))
def test_the_library_knows_nothing_of_the_workflow_engine(name: str) -> None:
    users = [p for p in LIBRARY.rglob("*.py") if name in {i.split(".")[0] for i in _imports(p)}]
    assert users == []
