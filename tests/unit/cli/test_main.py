"""The command ends bad input with its message and status 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from routeaudit.cli.main import COMMANDS, main


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert "usage: routeaudit" in capsys.readouterr().out


def test_bad_input_prints_what_was_expected_and_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = tmp_path / "lost.parquet"
    assert main(["why", str(lost)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert all(word in told for word in ("lost.parquet", "expected:", "found:", "hint:"))


def test_an_outcome_outside_the_unit_interval_names_its_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "o.csv").write_text("task_id,team_id,outcome\nt1,a,0.5\nt1,b,1.5\n")
    (tmp_path / "r.csv").write_text("policy,task_id,team_id\np,t1,a\n")
    assert main(["score", str(tmp_path / "o.csv"), str(tmp_path / "r.csv")]) == 1
    told = capsys.readouterr().err
    assert "t1" in told
    assert "1.5" in told
