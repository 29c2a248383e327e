"""A plan over many studies comes quickly, and so does every job of it, which parses the same workflow."""

from __future__ import annotations

import re
import resource

import pytest

from project_copy import Project

pytestmark = [pytest.mark.dag, pytest.mark.slow]

STUDIES = [f"copy{number:03}" for number in range(100)]
LIMIT_S = 15.0


def used_s() -> float:
    """Processor seconds of all ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_dry_run_over_a_hundred_composed_studies_takes_under_15_s(project: Project) -> None:
    configured = project.folder / "config" / "study"
    for study in STUDIES:
        (configured / f"{study}.yaml").write_text((configured / "simulated.yaml").read_text())
    words = ("--quiet", "rules", "--config", f"studies={','.join(STUDIES)}")
    project.snakemake("--dry-run", *words)
    before = used_s()
    shown = project.snakemake("--dry-run", *words).stdout
    total = re.search(r"^total +(\d+)$", shown, re.MULTILINE)
    assert total is not None
    assert int(total.group(1)) >= 1500
    # Processor time: one process does it all, and other work on the machine does not count.
    assert used_s() - before < LIMIT_S
