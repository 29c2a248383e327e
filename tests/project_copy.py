"""A copy of the project in which whole studies run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT

COPIED = ("Snakefile", "workflow", "config", "scripts", "profiles", "slurm", "envs")


class Project:
    """A copy of the project's files, or of an earlier copy's, with results of its own."""

    def __init__(self, folder: Path, origin: Path = ROOT) -> None:
        self.folder = folder
        for name in COPIED:
            source = origin / name
            copy = shutil.copytree if source.is_dir() and not source.is_symlink() else shutil.copy2
            if source.is_symlink():
                (folder / name).symlink_to(os.readlink(source))
            else:
                copy(source, folder / name)

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run snakemake in the copy; fail with its output unless told not to check."""
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False, env=self._environment()
        )
        if check and done.returncode:
            pytest.fail(f"{' '.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}")
        return done

    def planned(self, *arguments: str) -> dict[str, int]:
        """The jobs that a dry run schedules: rule -> count, without the target rules."""
        shown = self.snakemake("--dry-run", *arguments).stdout
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total ", shown, re.MULTILINE | re.DOTALL)
        rows = table.group(1).split("\n") if table else []
        counts = {row.split()[0]: int(row.split()[1]) for row in rows if row.strip()}
        return {rule: count for rule, count in counts.items() if rule not in {"all", "studies"}}

    def python(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy, with the copy's library."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=check,
            env=self._environment() | {"PYTHONPATH": str(self.folder / "workflow" / "lib")},
        )

    def _environment(self) -> dict[str, str]:
        return {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "SNAKEMAKE_PROFILE"}}
