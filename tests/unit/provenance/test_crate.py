"""The RO-Crate of a study says of every file what made it, and reads back with the RO-Crate library."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rocrate.rocrate import ROCrate

from routeaudit.errors import InputError
from routeaudit.provenance.crate import export_crate
from routeaudit.tables import file_digest
from unit.provenance.small_study import Study, edit_record

pytestmark = pytest.mark.concurrent

DEMO = Path("results/demo")
OUT = DEMO / "ro-crate-metadata.json"
TIMES = {"startTime", "endTime", "datePublished"}


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("workflow").mkdir()
    Path("workflow/Snakefile").write_text("rule all:\n    input: []\n")
    Study().build()


def exported() -> dict[str, dict[str, Any]]:
    export_crate(DEMO, OUT, Path("workflow/Snakefile"))
    return {entity["@id"]: entity for entity in json.loads(OUT.read_text())["@graph"]}


def ids(value: Any) -> set[str]:
    return {each["@id"] for each in (value if isinstance(value, list) else [value])}


def test_every_artifact_is_a_file_with_its_digest_and_size() -> None:
    entities = exported()
    files = {name: e for name, e in entities.items() if e["@type"] == "File"}
    expected = {p.relative_to(DEMO).as_posix() for p in DEMO.rglob("*") if p.suffix in {".parquet", ".json"}}
    expected = {n for n in expected if not n.endswith(".prov.json")} - {"ro-crate-metadata.json"}
    assert set(files) == expected
    for name, entity in files.items():
        assert entity["sha256"] == file_digest(DEMO / name)
        assert entity["contentSize"] == str((DEMO / name).stat().st_size)


def test_each_stage_run_is_an_action_from_inputs_to_outputs() -> None:
    entities = exported()
    actions = {e["name"].split()[0]: e for e in entities.values() if e["@type"] == "CreateAction"}
    assert set(actions) == {"run", "seal", "ingest", "freeze", "grade", "score"}
    assert ids(actions["ingest"]["result"]) == {"source/tasks.parquet", "source/inventory.json"}
    assert {"source/tasks.parquet", "routes.parquet"} < ids(actions["grade"]["object"])
    assert ids(actions["grade"]["result"]) == {"heldout/outcomes.parquet"}
    (params,) = [entities[i] for i in ids(actions["score"]["object"]) if i.endswith("-params")]
    assert params["value"] == '{"stats":{"n_boot":1000}}'
    (instrument,) = ids(actions["score"]["instrument"])
    assert entities[instrument]["softwareVersion"] == "0" * 64


def test_the_whole_run_goes_from_nothing_made_to_nothing_read() -> None:
    run = exported()["#workflow-run"]
    assert ids(run["result"]) == {"contract.json", "source/inventory.json", "scores.parquet"}
    assert ids(run["instrument"]) == {"Snakefile"}


def test_the_crate_names_its_profiles_and_its_main_entity() -> None:
    entities = exported()
    root = entities["./"]
    assert ids(root["conformsTo"]) == {
        "https://w3id.org/ro/wfrun/process/0.6",
        "https://w3id.org/ro/wfrun/workflow/0.6",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.1",
    }
    assert ids(root["mainEntity"]) == {"Snakefile"}
    assert "ComputationalWorkflow" in entities["Snakefile"]["@type"]
    assert (DEMO / "Snakefile").read_text() == Path("workflow/Snakefile").read_text()
    assert all(root[name] for name in ("name", "description", "datePublished", "license"))


def test_every_reference_inside_the_crate_has_its_entity() -> None:
    entities = exported()
    outward = ("https://w3id.org/ro/crate/", "https://doi.org/", "https://snakemake.readthedocs.io")
    for entity in entities.values():
        for value in entity.values():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    assert each["@id"] in entities or each["@id"].startswith(outward)


def test_the_library_reads_the_crate_back() -> None:
    exported()
    crate = ROCrate(DEMO)
    assert crate.mainEntity.id == "Snakefile"
    assert crate.get("scores.parquet")["sha256"] == file_digest(DEMO / "scores.parquet")


def test_two_runs_give_equal_metadata_apart_from_times() -> None:
    def timeless() -> dict[str, dict[str, Any]]:
        return {i: {k: v for k, v in e.items() if k not in TIMES} for i, e in exported().items()}

    first = timeless()
    shutil.rmtree("results")
    Study().build()
    assert list(timeless().items()) == list(first.items())


def test_exporting_again_ignores_the_crate_itself() -> None:
    assert exported() == exported()


def test_a_source_from_outside_is_named_with_its_digest() -> None:
    edit_record(DEMO / "source/tasks.parquet", inputs={"data/raw.json": "a" * 64})
    edit_record(DEMO / "source/inventory.json", inputs={"data/raw.json": "a" * 64})
    entities = exported()
    (source,) = ids(entities["#workflow-run"]["object"])
    assert entities[source]["name"] == "data/raw.json"
    assert entities[source]["identifier"] == f"content-sha256:{'a' * 64}"


def test_a_missing_artifact_is_bad_input_and_nothing_is_written() -> None:
    (DEMO / "scores.parquet").unlink()
    with pytest.raises(InputError, match=r"scores\.parquet"):
        exported()
    assert not OUT.exists()
    assert not (DEMO / "Snakefile").exists()


def test_a_crate_that_does_not_hold_its_files_is_refused() -> None:
    with pytest.raises(InputError, match="above it"):
        export_crate(DEMO, Path("elsewhere/ro-crate-metadata.json"), Path("workflow/Snakefile"))
