"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from places import ROOT


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root."""
    return ROOT


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data files that nobody here wrote; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("ROUTEAUDIT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data are not here: {folder} (set ROUTEAUDIT_DATA)")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fix", action="store_true", help="write generated files anew instead of comparing them"
    )
