"""What a run needs of Slurm before it submits: commands, a usable status query, no jobs of a killed run."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

from routeaudit.errors import InputError

COMMANDS = ("sbatch", "squeue", "scancel", "scontrol", "sinfo")
# The plugin asks for the status at least this often; a job forgotten earlier would be waited for without end.
LONGEST_POLL_S = 180
_ANSWER_S = 30
# The plugin names all jobs of a run by one UUID, after the profile's prefix.
_RUN_NAME = re.compile(r"(^|_)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def assert_usable(status_command: str, first_wait_s: int) -> None:
    """Make sure that submitting and asking for the status can work.

    Parameters
    ----------
    status_command : ``squeue`` or ``sacct``
    first_wait_s : seconds before the plugin's first status query

    Raises
    ------
    InputError : a command is missing, no controller answers, or finished jobs would be missed
    """
    missing = [command for command in COMMANDS if shutil.which(command) is None]
    if missing:
        raise InputError(
            "Slurm on this machine",
            f"the commands {', '.join(COMMANDS)}",
            f"not on PATH: {', '.join(missing)}",
            "start on a login node of the cluster, or install Slurm's client (profiles/README.md); without"
            " a cluster run `snakemake -c2`",
        )
    if status_command == "sacct":
        _ask("sacct", "--version")
    _assert_status_query(status_command, first_wait_s, _ask("scontrol", "show", "config"))


def _assert_status_query(status_command: str, first_wait_s: int, config: str) -> None:
    accounting = "accounting_storage/none" not in _setting(config, "AccountingStorageType")
    if status_command == "sacct" and not accounting:
        raise InputError(
            "slurm-status-command: sacct",
            "a cluster with an accounting database",
            "AccountingStorageType is accounting_storage/none",
            "set slurm-status-command: squeue",
        )
    remembered_s = int(re.match(r"\d*", _setting(config, "MinJobAge")).group() or 0)  # type: ignore[union-attr]
    needed_s = max(3 * first_wait_s, LONGEST_POLL_S + 20)
    if status_command == "squeue" and remembered_s < needed_s:
        raise InputError(
            "slurm-status-command: squeue",
            f"MinJobAge of at least {needed_s} seconds in slurm.conf",
            f"{remembered_s} seconds: a finished job can be forgotten between two queries",
            "set slurm-status-command: sacct" if accounting else "ask the cluster's owner to raise MinJobAge",
        )


def _setting(config: str, name: str) -> str:
    found = re.search(rf"^{name}\s*=\s*(.*)$", config, re.MULTILINE)
    return found.group(1) if found else ""


def cancel_leftovers(folder: Path, wait_s: float = 120.0) -> tuple[str, ...]:
    """Cancel jobs that an earlier run submitted from `folder` and wait until they are gone; return their ids.

    What they finished is in the journal. Two jobs must never write one output at the same time.

    Raises
    ------
    InputError : Slurm does not answer, or a job is still there after `wait_s` seconds
    """
    found = leftover_jobs(folder)
    if not found:
        return ()
    _ask("scancel", *found)
    deadline = time.monotonic() + wait_s
    while left := leftover_jobs(folder):
        if time.monotonic() > deadline:
            raise InputError(
                "jobs of an earlier run in this folder",
                f"gone {wait_s:.0f} seconds after scancel",
                f"still there: {', '.join(left)}",
                "see `squeue --me`; run again when they are gone",
            )
        time.sleep(1.0)
    return found


def leftover_jobs(folder: Path) -> tuple[str, ...]:
    """Ids of this user's living jobs that a run of the workflow submitted from `folder`."""
    rows = [
        line.split("|", 2)
        for line in _ask("squeue", "--me", "--noheader", "--format=%i|%j|%Z").splitlines()
        if line.count("|") >= 2
    ]
    here = folder.resolve()
    return tuple(
        job for job, name, where in rows if _RUN_NAME.search(name) and Path(where.strip()).resolve() == here
    )


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ANSWER_S, check=False)
        trouble = done.stderr.strip() if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        trouble = str(error)
    if trouble:
        raise InputError(
            " ".join(command[:3]),
            "an answer from Slurm",
            trouble,
            "check that slurmctld runs and that this machine's slurm.conf names it",
        )
    return done.stdout
