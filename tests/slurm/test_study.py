"""A whole study through `snakemake --profile slurm` on a real cluster."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from project_copy import Project
from routeaudit.execution import read_journals
from slurm.cluster import Cluster
from slurm.runs import Run, digests, started, study, verified

pytestmark = [pytest.mark.slurm, pytest.mark.timeout(900)]


def submitted(run: Run, rule: str) -> list[str]:
    """Slurm ids of a rule's jobs."""
    return re.findall(rf"SLURM jobid (\d+) \(log: \S*/rule_{rule}/", run.output)


def test_a_study_on_slurm_ends_with_the_tables_of_a_local_run(
    cluster: Cluster, local: Project, empty: Project
) -> None:
    with started(empty.folder, *study(), "--set-resources", "work:gpu=1") as run:
        assert run.end() == 0, run.output[-4000:]
    assert digests(empty.folder) == digests(local.folder)
    assert verified(empty).startswith("OK: ")
    assert read_journals(Path(empty.folder, "results/journal")).repeated == 0
    states = cluster.jobs()
    for rule, partition, gpus in (
        ("work", "gpu", True),
        ("finalize", "cpu", False),
        ("ingest", "cpu", False),
    ):
        for job in submitted(run, rule):
            shown = cluster.ask("scontrol", "show", "job", job)
            assert f"Partition={partition} " in shown
            assert ("gres:gpu" in shown or "gres/gpu" in shown) == gpus
            assert states[job] == "COMPLETED"
    assert len(submitted(run, "work")) == 2
    assert not list(Path(empty.folder, "results/slurm-logs").rglob("*.log")), "logs of successes are removed"
