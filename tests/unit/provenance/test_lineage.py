"""`routeaudit lineage` and `routeaudit why` follow the records to sources and to results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.cli import lineage as lineage_command
from routeaudit.cli import why as why_command
from routeaudit.errors import InputError
from routeaudit.provenance.folder import Folder, Record, folder_of, load_record
from routeaudit.provenance.lineage import dependency_order, lineage
from routeaudit.provenance.why import why
from unit.provenance.small_study import CONFIG, Study, command, edit_record, rewrite_table

pytestmark = pytest.mark.concurrent

DEMO = Path("results/demo")
TASKS, ROUTES, OUTCOMES, SCORES = (
    f"results/demo/{name}"
    for name in ("source/tasks.parquet", "routes.parquet", "heldout/outcomes.parquet", "scores.parquet")
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Study().build()
    return tmp_path


def told(path: str) -> list[str]:
    return list(why(*folder_of(Path(path))))


def test_lineage_lists_all_before_and_after_in_dependency_order(project: Path) -> None:
    found = lineage(*folder_of(Path(ROUTES)))
    assert found.ancestors == (TASKS,)
    assert found.descendants == (OUTCOMES, SCORES)
    assert lineage(*folder_of(Path(SCORES))).ancestors == (TASKS, ROUTES, OUTCOMES)


def test_lineage_stays_within_what_is_connected(project: Path) -> None:
    Study("other").build()
    found = lineage(*folder_of(Path(SCORES)))
    assert not [path for path in found.ancestors + found.descendants if "other" in path]


def test_lineage_as_json_carries_stages_and_digests(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(lineage_command, "lineage", SCORES, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [entry["stage"] for entry in found["ancestors"]] == ["ingest", "freeze", "grade"]
    assert found["file"]["content"] == load_record(Path(SCORES)).output.content
    assert found["ancestors"][2]["inputs"] == [ROUTES, TASKS]


def test_lineage_as_text_names_each_file_with_its_stage(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(lineage_command, "lineage", ROUTES)
    assert capsys.readouterr().out.splitlines() == [
        f"{ROUTES}  [freeze]",
        "ancestors: 1",
        f"  {TASKS}  [ingest]",
        "descendants: 2",
        f"  {OUTCOMES}  [grade]",
        f"  {SCORES}  [score]",
    ]


def test_a_source_without_a_record_has_descendants(project: Path) -> None:
    Path("source.txt").write_text("x")
    edit_record(Path(TASKS), inputs={"source.txt": "0" * 64})
    found = lineage(*folder_of(Path("source.txt")))
    assert found.ancestors == ()
    assert found.descendants[0] == TASKS


def test_a_file_that_nothing_knows_is_bad_input(project: Path) -> None:
    Path("loose.txt").write_text("x")
    with pytest.raises(InputError, match=r"loose\.txt"):
        lineage(*folder_of(Path("loose.txt")))


def test_why_tells_stage_parameters_contract_and_model_of_every_step(project: Path) -> None:
    lines = told(SCORES)
    titles = [line.lstrip("│├└─ ") for line in lines if line.endswith("]")]
    assert titles == [
        f"{SCORES}  [score]",
        f"{OUTCOMES}  [grade]",
        f"{ROUTES}  [freeze]",
        f"{TASKS}  [ingest]",
    ]
    text = "\n".join(lines)
    for part in ("stats.n_boot=1000", "routers.bm25.k=9", "benchmark.n=3", "id tiny, revision r1", "(stats)"):
        assert part in text


def test_why_indents_a_step_beneath_what_was_made_from_it(project: Path) -> None:
    depth = {
        line.split("results/")[1].split(" ")[0]: line.index("results/")
        for line in reversed(told(SCORES))
        if "results/" in line
    }
    assert (
        depth["demo/scores.parquet"] < depth["demo/heldout/outcomes.parquet"] < depth["demo/routes.parquet"]
    )


def test_why_tells_an_artifact_met_twice_once(project: Path) -> None:
    lines = [line for line in told(SCORES) if TASKS in line]
    assert len(lines) == 2
    assert lines[1].endswith("(told above)")


def test_why_says_when_a_file_is_no_longer_the_recorded_one(project: Path) -> None:
    rewrite_table(Path(OUTCOMES), 0.5)
    Path(TASKS).unlink()
    text = "\n".join(told(SCORES))
    assert text.count("but the file now has") == 1
    assert text.count("but the file is gone") == 1


def test_why_cuts_long_parameters_and_survives_a_file_that_is_no_table(project: Path) -> None:
    Study("other", CONFIG | {"stats": {"n_boot": 1000, "prompt": "word " * 500}}).build()
    Path("results/other/heldout/outcomes.parquet").write_text("no table")
    lines = told("results/other/scores.parquet")
    assert max(map(len, lines)) < 160
    assert "cannot be read" in "\n".join(lines)


def test_why_of_a_file_without_a_record_is_bad_input(project: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    loose = tmp_path / "other" / "loose.txt"
    loose.write_text("x")
    with pytest.raises(InputError, match="record"):
        command(why_command, "why", str(loose))


def test_why_works_from_another_folder_and_on_a_copy(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = told(SCORES)
    copy = shutil.copytree("results", tmp_path / "elsewhere" / "old")
    monkeypatch.chdir("/")
    assert told(str(project / SCORES)) == here
    assert told(str(Path(copy) / "demo/scores.parquet")) == here


@given(st.lists(st.sets(st.integers(0, 11)), min_size=1, max_size=12))
def test_every_artifact_comes_after_its_inputs_and_the_order_repeats(sources: list[set[int]]) -> None:
    records = {
        f"r/{n:02d}": Record.model_construct(inputs={f"r/{m:02d}": "0" * 64 for m in given_ if m < n})
        for n, given_ in enumerate(sources)
    }
    folder = Folder(Path("r"), "r", Path(), records, frozenset(records))
    order = dependency_order(folder)
    assert sorted(order) == sorted(records)
    for path, record in records.items():
        assert all(order.index(source) < order.index(path) for source in record.inputs)
    shuffled = Folder(Path("r"), "r", Path(), dict(reversed(records.items())), frozenset(records))
    assert dependency_order(shuffled) == order
