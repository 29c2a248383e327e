"""The frame around a stage: records are written last, bad input leaves nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routeaudit.errors import InputError
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.records import read_record, record_path
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import write_json, write_text

pytestmark = pytest.mark.concurrent


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_json(Path("contract.json"), make_contract("s", {"split": {"seed": 1}, "routers": {"a": {"k": 1}}}))
    write_text(Path("in.txt"), "42")
    return tmp_path


def _arguments(cfg: dict[str, object]) -> list[str]:
    named = "--stage copy --study s --code abc --contract contract.json"
    files = "--in source in.txt --out result out.txt"
    return [*named.split(), *files.split(), "--cfg", json.dumps(cfg)]


def _copy(stage: Stage) -> None:
    write_text(stage.output("result"), stage.input("source").read_text())


def test_the_record_names_inputs_parameters_code_and_contract(project: Path) -> None:
    run_stage(_copy, _arguments({"split": {"seed": 1}}))
    record = read_record(Path("out.txt"))
    assert record["stage"] == "copy"
    assert list(record["inputs"]) == ["in.txt"]
    assert record["params"] == '{"split":{"seed":1}}'
    assert record["contract"] == json.loads(Path("contract.json").read_text())["digest"]
    assert list(record["contract_sections"]) == ["split"]


def test_two_runs_have_the_same_key_and_content(project: Path) -> None:
    run_stage(_copy, _arguments({"split": {"seed": 1}}))
    first = read_record(Path("out.txt"))
    run_stage(_copy, _arguments({"split": {"seed": 1}}))
    second = read_record(Path("out.txt"))
    assert (first["key"], first["output"]) == (second["key"], second["output"])


def test_a_dotted_part_is_held_against_the_sealed_one(project: Path) -> None:
    run_stage(_copy, _arguments({"routers.a": {"k": 1}}))
    with pytest.raises(SystemExit):
        run_stage(_copy, _arguments({"routers.a": {"k": 2}}))


def test_a_folder_of_another_contract_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run_stage(_copy, _arguments({"split": {"seed": 2}}))
    assert stopped.value.code == 1
    assert "another contract" in capsys.readouterr().err
    assert not Path("out.txt").exists()


def test_a_failing_stage_leaves_no_record_of_the_old_output(project: Path) -> None:
    run_stage(_copy, _arguments({"split": {"seed": 1}}))

    def fail(stage: Stage) -> None:
        raise InputError("in.txt:1", "a word", "a number", "write a word")

    with pytest.raises(SystemExit) as stopped:
        run_stage(fail, _arguments({"split": {"seed": 1}}))
    assert stopped.value.code == 1
    assert not record_path(Path("out.txt")).exists()
