"""`routeaudit verify` finds what Snakemake passes over, and names the first broken link."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from routeaudit.cli import verify as verify_command
from routeaudit.errors import InputError
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.links import Fault
from routeaudit.provenance.verify import verify
from routeaudit.tables import write_json
from unit.provenance.small_study import Study, command, edit_record, rewrite_table

pytestmark = pytest.mark.concurrent

RESULTS = Path("results")
DEMO = RESULTS / "demo"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    return Study().build()


def fault(place: Path = RESULTS) -> tuple[str, str] | None:
    broken = verify(place).broken
    return None if broken is None else (broken.fault.name, broken.where)


def keep_time(path: Path, change: Callable[[], object]) -> None:
    """Make a change that leaves the file's modification time as it was."""
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_an_untouched_study_is_ok_and_counted(study: Study) -> None:
    found = verify(RESULTS)
    assert found.broken is None
    assert (found.artifacts, found.records, found.ledgers) == (6, 6, 1)


@pytest.mark.parametrize("place", ["results", "results/demo", "results/demo/source", "results/demo/heldout"])
def test_a_part_of_the_results_can_be_verified_alone(study: Study, place: str) -> None:
    assert verify(Path(place)).broken is None


def test_a_corrupted_file_with_its_old_time_is_corrupt(study: Study) -> None:
    path = DEMO / "heldout/outcomes.parquet"
    keep_time(path, lambda: rewrite_table(path, 0.5))
    assert fault() == ("CORRUPT", "results/demo/heldout/outcomes.parquet")


def test_a_flipped_byte_in_a_json_artifact_is_corrupt(study: Study) -> None:
    path = DEMO / "source/inventory.json"
    keep_time(path, lambda: path.write_text(path.read_text().replace("3", "4")))
    assert fault() == ("CORRUPT", "results/demo/source/inventory.json")


def test_a_corrupted_final_artifact_is_found_though_nothing_reads_it(study: Study) -> None:
    rewrite_table(DEMO / "scores.parquet", 0.5)
    assert fault() == ("CORRUPT", "results/demo/scores.parquet")


def test_a_truncated_file_is_corrupt(study: Study) -> None:
    path = DEMO / "scores.parquet"
    path.write_bytes(path.read_bytes()[:20])
    assert fault() == ("CORRUPT", "results/demo/scores.parquet")


def test_a_remade_input_leaves_its_consumer_stale(study: Study) -> None:
    larger = Study(config=study.config | {"benchmark": {"n": 4}})
    larger.seal()
    larger.ingest()
    assert fault() == ("STALE", "results/demo/routes.parquet")


def test_a_deleted_intermediate_is_missing(study: Study) -> None:
    (DEMO / "heldout/outcomes.parquet").unlink()
    assert fault() == ("MISSING", "results/demo/heldout/outcomes.parquet")


def test_an_intermediate_deleted_with_its_record_is_missing(study: Study) -> None:
    (DEMO / "heldout/outcomes.parquet").unlink()
    (DEMO / "heldout/outcomes.parquet.prov.json").unlink()
    assert fault() == ("MISSING", "results/demo/heldout/outcomes.parquet")


@pytest.mark.parametrize("name", ["source/tasks.parquet", "scores.parquet"])
def test_a_file_whose_record_was_deleted_is_unrecorded(study: Study, name: str) -> None:
    (DEMO / f"{name}.prov.json").unlink()
    assert fault() == ("UNRECORDED", f"results/demo/{name}")


def test_a_file_that_no_stage_wrote_is_unrecorded(study: Study) -> None:
    (DEMO / "extra.parquet").write_text("x")
    assert fault() == ("UNRECORDED", "results/demo/extra.parquet")


def test_journal_logs_torn_writes_and_hidden_files_are_no_artifacts(study: Study) -> None:
    for name in (
        "journal/a.jsonl",
        "demo/logs/score.log",
        "demo/scores.parquet.tmp.12",
        "demo/.snakemake_timestamp",
    ):
        (RESULTS / name).parent.mkdir(parents=True, exist_ok=True)
        (RESULTS / name).write_text("x")
    assert fault() is None


@pytest.mark.parametrize(
    "change", [{"code": "1" * 64}, {"params": '{"stats":{"n_boot":9}}'}, {"stage": "grade"}, {"inputs": {}}]
)
def test_a_record_whose_key_does_not_follow_from_it_is_inconsistent(
    study: Study, change: dict[str, object]
) -> None:
    edit_record(DEMO / "scores.parquet", **change)
    assert fault() == ("INCONSISTENT", "record of results/demo/scores.parquet")


def test_a_record_that_lies_about_the_content_is_inconsistent(study: Study) -> None:
    path = DEMO / "scores.parquet"
    record = json.loads((DEMO / "scores.parquet.prov.json").read_text())
    edit_record(path, output=record["output"] | {"content": "1" * 64})
    assert fault() == ("INCONSISTENT", "record of results/demo/scores.parquet")


def test_a_record_copied_beside_another_file_is_inconsistent(study: Study) -> None:
    for name in ("scores.parquet", "scores.parquet.prov.json"):
        shutil.copy(DEMO / name, DEMO / name.replace("scores", "better"))
    assert fault() == ("INCONSISTENT", "record of results/demo/better.parquet")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "routeaudit.record/1"}'])
def test_a_torn_record_is_told_with_its_file(study: Study, text: str) -> None:
    (DEMO / "scores.parquet.prov.json").write_text(text)
    found = fault()
    assert found is not None
    assert found[0] == "INCONSISTENT"
    assert "scores.parquet.prov.json" in found[1]


@pytest.mark.parametrize("path", ["/etc/passwd", "../../etc/passwd", "results/../../x", "a\\..\\b", ""])
def test_a_record_may_not_point_out_of_the_project(study: Study, path: str) -> None:
    edit_record(DEMO / "scores.parquet", inputs={path: "0" * 64})
    broken = verify(RESULTS).broken
    assert broken is not None
    assert broken.fault is Fault.INCONSISTENT
    assert "inside the project" in broken.expected


def test_records_in_a_circle_are_told(study: Study) -> None:
    edit_record(DEMO / "source/tasks.parquet", inputs={"results/demo/scores.parquet": "0" * 64})
    broken = verify(RESULTS).broken
    assert broken is not None
    assert "circle" in broken.found


def test_results_under_another_contract_are_told(study: Study) -> None:
    Study(config=study.config | {"stats": {"n_boot": 5000}}).seal()
    found = fault()
    assert found is not None
    assert found[0] == "OTHER_CONTRACT"
    assert found[1] == "results/demo/scores.parquet, section 'stats'"


def test_sealing_anew_keeps_what_rests_on_unchanged_sections(study: Study) -> None:
    anew = Study(config=study.config | {"stats": {"n_boot": 5000}})
    anew.seal()
    anew.score()
    assert fault() is None


def test_a_changed_configuration_is_named_even_where_nothing_reran(study: Study) -> None:
    changed = make_contract("demo", study.config | {"stats": {"n_boot": 5000}})["digest"]
    same = make_contract("demo", study.config)["digest"]
    assert verify(RESULTS, {"demo": same}).broken is None
    broken = verify(RESULTS, {"demo": changed}).broken
    assert broken is not None
    assert broken.fault is Fault.OTHER_CONTRACT


def test_a_contract_edited_together_with_its_record_no_longer_follows_from_its_sections(study: Study) -> None:
    path = DEMO / "contract.json"
    contract = json.loads(path.read_text())
    contract["sections"]["stats"]["n_boot"] = 5000
    write_json(path, contract)
    assert fault() == ("CORRUPT", "results/demo/contract.json")


def test_a_deleted_contract_is_missing(study: Study) -> None:
    (DEMO / "contract.json").unlink()
    (DEMO / "contract.json.prov.json").unlink()
    assert fault() == ("MISSING", "results/demo/contract.json")


def test_an_edited_ledger_is_told_with_its_line(study: Study) -> None:
    ledger = Path("seals/demo.jsonl")
    ledger.write_text(ledger.read_text().replace("bm25", "bm26"))
    assert fault() == ("LEDGER", "seals/demo.jsonl:2")


@pytest.mark.parametrize("lines", [0, 1])
def test_a_ledger_cut_short_is_told(study: Study, lines: int) -> None:
    ledger = Path("seals/demo.jsonl")
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:lines]))
    found = fault()
    assert found is not None
    assert found[0] == ("LEDGER", "NOT_FROZEN")[lines]


def test_routes_rewritten_with_a_matching_record_are_not_the_frozen_ones(study: Study) -> None:
    ledger = Path("seals/demo.jsonl").read_text()
    study.freeze_without_ledger()
    study.grade()
    study.score()
    assert Path("seals/demo.jsonl").read_text() == ledger
    assert fault() == ("NOT_FROZEN", "results/demo/routes.parquet, policy 'bm25'")


def test_the_first_link_in_dependency_order_is_named_not_the_first_by_name(study: Study) -> None:
    rewrite_table(DEMO / "heldout/outcomes.parquet", 0.5)
    rewrite_table(DEMO / "source/tasks.parquet", 0.5)
    assert fault() == ("CORRUPT", "results/demo/source/tasks.parquet")


def test_a_copied_project_still_verifies(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copytree(tmp_path, tmp_path.parent / f"{tmp_path.name}-copy")
    monkeypatch.chdir("/")
    assert verify(Path(copy) / "results").broken is None


def test_results_that_are_a_link_to_another_disk_verify(study: Study, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    RESULTS.rename(scratch / "r")
    RESULTS.symlink_to(scratch / "r")
    assert fault() is None


def test_the_command_says_ok_and_exits_0(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(verify_command, "verify") == 0
    assert capsys.readouterr().out == "OK: 6 artifacts, 6 records, 1 ledgers\n"


def test_the_command_names_the_broken_link_and_exits_1(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    (DEMO / "scores.parquet").unlink()
    assert command(verify_command, "verify", "results/demo") == 1
    assert capsys.readouterr().out.startswith("MISSING: results/demo/scores.parquet\n  expected: ")


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_without_artifacts_is_bad_input(tmp_path: Path, make: bool) -> None:
    if make:
        (tmp_path / "none").mkdir()
    with pytest.raises(InputError):
        verify(tmp_path / "none")
