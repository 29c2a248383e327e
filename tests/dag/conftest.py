"""Whole studies in a copy of the project."""

from __future__ import annotations

import pytest

from project_copy import Project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A fresh copy without results."""
    return Project(tmp_path_factory.mktemp("project"))
