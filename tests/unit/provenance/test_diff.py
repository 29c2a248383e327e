"""`routeaudit diff` names what differs, down to the parameter and the row, and calls equal what is equal."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routeaudit.cli import diff as diff_command
from routeaudit.errors import InputError
from routeaudit.provenance.diff import ArtifactDiff, FolderDiff, diff
from routeaudit.provenance.rows import compare_tables
from unit.provenance.small_study import CONFIG, Study, command, edit_record

pytestmark = pytest.mark.concurrent

DEMO, OTHER = Path("results/demo"), Path("results/other")


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Study().build()


def lines(first: Path, second: Path) -> list[str]:
    return list(diff(first, second).lines())


def test_one_changed_parameter_is_the_only_difference_named() -> None:
    Study("other", CONFIG | {"stats": {"n_boot": 5000}}).build()
    name = "scores.parquet"
    assert lines(DEMO / name, OTHER / name) == [
        "scores.parquet: equal content",
        "  params: stats.n_boot 1000 -> 5000",
    ]


def test_two_runs_from_scratch_have_equal_content() -> None:
    shutil.copytree("results/demo", "kept")
    shutil.rmtree("results")
    Study().build()
    compared = diff(Path("kept"), DEMO)
    assert compared.equal
    assert list(compared.lines()) == ["6 artifacts in both: 6 with equal content, 0 differ"]


def test_in_a_folder_the_cause_is_told_in_full_and_its_consequences_in_one_line() -> None:
    Study("other", CONFIG | {"routers": {"bm25": {"k": 10}}}).build()
    told = lines(DEMO, OTHER)
    assert told[0] == "6 artifacts in both: 2 with equal content, 4 differ"
    at = told.index("routes.parquet: contents differ")
    assert told[at + 1] == "  params: routers.bm25.k 9 -> 10"
    assert told[at + 2] == "  rows: 6 -> 6; 3 differ, 0 only in the first, 0 only in the second"
    assert told[at + 3] == "  row policy=bm25, task_id=t0: team_id g9 -> g10, score 9.0 -> 10.0"
    through = [line for line in told if "through" in line]
    assert [line.split(":")[0] for line in through] == ["heldout/outcomes.parquet", "scores.parquet"]
    assert "input: routes.parquet" in through[0]


def test_other_code_and_another_model_are_named() -> None:
    Study("other", code="1" * 64).build()
    edit_record(OTHER / "heldout/outcomes.parquet", model={"id": "tiny", "revision": "r2", "dtype": "f16"})
    told = lines(DEMO / "heldout/outcomes.parquet", OTHER / "heldout/outcomes.parquet")
    assert "  code: 000000000000 -> 111111111111" in told
    assert "  model: revision r1 -> r2" in told
    assert "  model: dtype (absent) -> f16" in told


def test_an_environment_that_differs_is_told_once_for_a_folder() -> None:
    Study("other").build()
    for path in OTHER.rglob("*.parquet"):
        edit_record(path, environment={"python": "3.99.0"})
    told = [line for line in lines(DEMO, OTHER) if "python" in line]
    assert len(told) == 1
    assert told[0].startswith("environment: python 3.")
    assert told[0].endswith("-> 3.99.0  (4 artifacts)")


def test_an_artifact_of_one_folder_only_is_named() -> None:
    Study("other").build()
    for path in (OTHER / "scores.parquet", OTHER / "scores.parquet.prov.json"):
        path.unlink()
    compared = diff(DEMO, OTHER)
    assert isinstance(compared, FolderDiff)
    assert not compared.equal
    assert compared.only_first == ("scores.parquet",)
    assert "only in the first: scores.parquet" in lines(DEMO, OTHER)


def test_a_text_artifact_is_compared_by_digest() -> None:
    Study("other", CONFIG | {"benchmark": {"n": 4}}).build()
    compared = diff(DEMO / "source/inventory.json", OTHER / "source/inventory.json")
    assert isinstance(compared, ArtifactDiff)
    assert compared.causes == ("params: benchmark.n 3 -> 4",)
    assert len(compared.contents) == 1
    assert compared.contents[0].startswith("content: ")


def test_a_file_without_a_record_is_bad_input() -> None:
    Path("loose.txt").write_text("x")
    with pytest.raises(InputError, match="no record"):
        diff(Path("loose.txt"), DEMO / "scores.parquet")


def test_a_file_and_a_folder_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="a file and a folder"):
        diff(DEMO, DEMO / "scores.parquet")


def test_the_command_exits_0_for_equal_contents_and_1_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    Study("other", CONFIG | {"routers": {"bm25": {"k": 10}}}).build()
    names = ("source/tasks.parquet", "scores.parquet")
    codes = [command(diff_command, "diff", str(DEMO / n), str(OTHER / n)) for n in names]
    assert codes == [0, 1]
    assert "equal content" in capsys.readouterr().out


def compared(first: dict[str, list[object]], second: dict[str, list[object]]) -> list[str]:
    for name, columns in (("a.parquet", first), ("b.parquet", second)):
        pq.write_table(pa.table(columns), name)
    return list(compare_tables(Path("a.parquet"), Path("b.parquet")))


def test_rows_are_matched_by_the_fewest_leading_columns_that_identify_them() -> None:
    told = compared(
        {"task": ["t1", "t1", "t2"], "team": ["a", "b", "a"], "value": [0.0, 1.0, 1.0]},
        {"task": ["t1", "t2", "t3"], "team": ["b", "a", "a"], "value": [0.5, 1.0, 1.0]},
    )
    assert told == [
        "rows: 3 -> 3; 1 differ, 1 only in the first, 1 only in the second",
        "row task=t1, team=b: value 1.0 -> 0.5",
        "row task=t1, team=a: only in the first",
        "row task=t3, team=a: only in the second",
    ]


def test_nan_equals_nan_and_lists_are_compared_whole() -> None:
    told = compared(
        {"task": ["t1", "t2"], "value": [math.nan, 1.0], "team": [["w1"], ["w1"]]},
        {"task": ["t1", "t2"], "value": [math.nan, 1.0], "team": [["w1"], ["w1", "w2"]]},
    )
    assert told == [
        "rows: 2 -> 2; 1 differ, 0 only in the first, 0 only in the second",
        'row task=t2: team ["w1"] -> ["w1", "w2"]',
    ]


def test_rows_that_nothing_identifies_are_matched_by_place() -> None:
    told = compared({"a": [1, 1], "b": [2, 2]}, {"a": [1, 1], "b": [2, 3]})
    assert told[1] == "row number 2: b 2 -> 3"


def test_other_columns_are_named() -> None:
    assert compared({"a": [1]}, {"a": [1], "b": [2]}) == ["columns: a -> a, b"]
