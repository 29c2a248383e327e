"""One cluster and one finished local run for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from project_copy import Project
from slurm.cluster import Cluster, obstacle, running


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A real Slurm cluster on this host."""
    reason = obstacle()
    if reason:
        pytest.skip(f"no Slurm cluster here: {reason}")
    with running(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project's files at one moment, without results."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="session")
def local(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The simulated study, run on this machine without a cluster."""
    project = Project(tmp_path_factory.mktemp("local"), project.folder)
    project.snakemake("--config", "studies=simulated")
    return project


@pytest.fixture
def empty(project: Project, tmp_path: Path) -> Project:
    """A project without results."""
    return Project(tmp_path, project.folder)
