"""One controller per folder; locks of a killed one do not stand in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from routeaudit.errors import InputError
from routeaudit.execution.controller import become_controller, drop_dead_locks

pytestmark = pytest.mark.concurrent


@pytest.fixture
def workflow_locks(tmp_path: Path) -> Path:
    folder = tmp_path / "locks"
    folder.mkdir()
    (folder / "0.output.lock").write_text("results/a\n")
    return folder


def test_a_second_controller_is_refused_and_told_who_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("routeaudit.execution.controller._PATIENCE_S", 0.0)
    lock = tmp_path / "controller.lock"
    first = become_controller(lock)
    with pytest.raises(InputError, match="another one lives: process"):
        become_controller(lock)
    first.release()
    become_controller(lock).release()


def test_locks_of_a_killed_run_are_removed(tmp_path: Path, workflow_locks: Path) -> None:
    assert drop_dead_locks(workflow_locks, tmp_path / "controller.lock") is None
    assert not list(workflow_locks.iterdir())


def test_locks_of_a_living_run_stay(tmp_path: Path, workflow_locks: Path) -> None:
    controller = become_controller(tmp_path / "controller.lock")
    living = drop_dead_locks(workflow_locks, tmp_path / "controller.lock")
    controller.release()
    assert living is not None
    assert living.startswith("process ")
    assert list(workflow_locks.iterdir())


def test_without_workflow_locks_nothing_is_touched(tmp_path: Path) -> None:
    assert drop_dead_locks(tmp_path / "none", tmp_path / "controller.lock") is None
    assert not (tmp_path / "controller.lock").exists()
