"""Where the project is, and where real data files are."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ROUTEAUDIT_DATA", ROOT.parent / "shared" / "data")).resolve()


def real_data(name: str) -> Path:
    """The folder `name` of real data files that nobody here wrote; without it the test is skipped."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"needs real data: no folder {folder} (ROUTEAUDIT_DATA names the one above it)")
    return folder
