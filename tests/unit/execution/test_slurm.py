"""What a run checks of Slurm before its first job, against commands that answer as Slurm's do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from places import ROOT
from routeaudit.errors import InputError
from routeaudit.execution import slurm

pytestmark = pytest.mark.concurrent

RUN = "routeaudit_6f1f0c7e-93d2-4b0b-8a35-5f1f4e3b2a10"


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of stand-ins for Slurm's commands, the only one on PATH beside the system's shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in (*slurm.COMMANDS, "sacct"):
        answer(folder, name, "")
    return folder


def answer(folder: Path, command: str, text: str, status: int = 0) -> None:
    """Let a command print `text`, to stderr when it fails, and note its arguments."""
    stream = " >&2" if status else ""
    noted = f'#!/bin/sh\necho "$@" >> {folder}/{command}.asked\n'
    script = f'{noted}/bin/cat{stream} <<"END"\n{text}\nEND\nexit {status}\n'
    (folder / command).write_text(script)
    (folder / command).chmod(0o755)


def configured(folder: Path, min_job_age: str, storage: str) -> None:
    answer(
        folder, "scontrol", f"AccountingStorageType   = {storage}\nMinJobAge               = {min_job_age}"
    )


def test_missing_commands_are_named(commands: Path) -> None:
    (commands / "squeue").unlink()
    with pytest.raises(InputError, match="not on PATH: squeue"):
        slurm.assert_usable("squeue", 20)


def test_a_silent_controller_is_told(commands: Path) -> None:
    answer(commands, "scontrol", "Unable to contact slurm controller", 1)
    with pytest.raises(InputError, match="Unable to contact slurm controller"):
        slurm.assert_usable("squeue", 20)


@pytest.mark.parametrize(
    ("command", "age", "storage", "hint"),
    [
        ("squeue", "60 sec", "accounting_storage/none", "raise MinJobAge"),
        ("squeue", "60 sec", "accounting_storage/slurmdbd", "status-command: sacct"),
        ("sacct", "300 sec", "accounting_storage/none", "status-command: squeue"),
    ],
)
def test_status_queries_that_would_miss_finished_jobs_are_refused(
    commands: Path, command: str, age: str, storage: str, hint: str
) -> None:
    configured(commands, age, storage)
    with pytest.raises(InputError, match=hint):
        slurm.assert_usable(command, 20)


@pytest.mark.parametrize("command", ["squeue", "sacct"])
def test_a_usual_cluster_is_accepted(commands: Path, command: str) -> None:
    configured(commands, "300 sec", "accounting_storage/slurmdbd")
    slurm.assert_usable(command, 40)


def test_squeue_must_remember_jobs_longer_than_a_long_first_wait(commands: Path) -> None:
    configured(commands, "300 sec", "accounting_storage/slurmdbd")
    with pytest.raises(InputError, match="at least 330 seconds"):
        slurm.assert_usable("squeue", 110)


def test_only_jobs_of_runs_from_this_folder_are_leftovers(commands: Path, tmp_path: Path) -> None:
    listed = [f"7|{RUN}|{tmp_path}", f"8|{RUN}|{tmp_path}/other", f"9|my_own_job|{tmp_path}"]
    answer(commands, "squeue", "\n".join(listed))
    assert slurm.leftover_jobs(tmp_path) == ("7",)


def test_leftovers_are_cancelled_and_awaited(commands: Path, tmp_path: Path) -> None:
    answer(commands, "squeue", f"7|{RUN}|{tmp_path}\n12|{RUN}|{tmp_path}")
    listing = (commands / "squeue").read_text()
    gone_when_cancelled = f"#!/bin/sh\n[ -e {commands}/scancel.asked ] && exit 0"
    (commands / "squeue").write_text(listing.replace("#!/bin/sh", gone_when_cancelled))
    assert slurm.cancel_leftovers(tmp_path) == ("7", "12")
    assert (commands / "scancel.asked").read_text() == "7 12\n"


def test_leftovers_that_do_not_go_stop_the_run(commands: Path, tmp_path: Path) -> None:
    answer(commands, "squeue", f"7|{RUN}|{tmp_path}")
    with pytest.raises(InputError, match="still there: 7"):
        slurm.cancel_leftovers(tmp_path, wait_s=0.0)


def test_no_leftovers_cancel_nothing(commands: Path, tmp_path: Path) -> None:
    assert slurm.cancel_leftovers(tmp_path) == ()
    assert not (commands / "scancel.asked").exists()


def test_the_profiles_sacct_says_cancelled_as_the_plugin_reads_it(commands: Path) -> None:
    answer(commands, "sacct", "41|CANCELLED by 1000\n42|COMPLETED")
    shim = ROOT / "profiles" / "slurm" / "bin"
    environment = {"PATH": f"{shim}:{commands}:/usr/bin:/bin"}
    shown = subprocess.run(
        ["sacct", "-X", "--name", "a b"], env=environment, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "41|CANCELLED\n42|COMPLETED\n"
    assert (commands / "sacct.asked").read_text() == "-X --name a b\n"


def test_the_profiles_sacct_fails_where_slurms_fails(commands: Path) -> None:
    shim = ROOT / "profiles" / "slurm" / "bin" / "sacct"
    answer(commands, "sacct", "no database", 1)
    environment = {"PATH": f"{shim.parent}:{commands}:/bin:/usr/bin"}
    assert subprocess.run([shim], env=environment, capture_output=True, check=False).returncode == 1
