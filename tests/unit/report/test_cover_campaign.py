"""The page of several studies: one family of tests, the paper's rows beside ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthetic_study import Design, write_study

from routeaudit.report.cover import render_campaign, render_study
from routeaudit.report.cover.published import COMPARISONS, LEVELS
from routeaudit.tables import read_table, write_table
from routeaudit.tables.results import CONTRASTS

pytestmark = pytest.mark.concurrent

_HOTPOT = Design(name="hotpotqa4", offline=True, kinds=(("bm25", "leave_one_out"),))
_MUSIQUE = Design(
    name="musique12_privileged", offline=True, slots=(4, 3), kinds=(("bm25", "calibrated_graph"),)
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("campaign")
    write_study(root, _HOTPOT)
    write_study(root, _MUSIQUE)
    return root


@pytest.fixture(scope="module")
def folders(root: Path) -> list[Path]:
    return [root / "results" / name for name in ("hotpotqa4", "musique12_privileged")]


@pytest.fixture(scope="module")
def page(root: Path, folders: list[Path]) -> str:
    return render_campaign(folders, root / "seals", name="paper")


def _cells(page: str, label: str) -> list[list[str]]:
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.S)
    found = [
        [re.sub(r"<[^>]+>", "", c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)] for row in rows
    ]
    return [row for row in found if row and row[0].startswith(label)]


def test_printed_gains_are_the_differences_of_the_printed_values() -> None:
    for row in COMPARISONS:
        if row.gain is not None and row.printed is not None and row.printed_reference is not None:
            sign = -1 if row.metric == "regret" else 1
            assert sign * (row.printed - row.printed_reference) == pytest.approx(row.gain, abs=1.01e-4)


def test_printed_regrets_of_the_tool_families_are_oracle_minus_value() -> None:
    rows = {row.label: row.printed for row in LEVELS if row.table == 6}
    top = rows.pop("per-task declared-family oracle")["value"]
    assert all(top - row["value"] == pytest.approx(row["regret"], abs=1e-9) for row in rows.values())


def test_papers_row_stands_beside_ours_with_both_numbers_of_tasks(page: str) -> None:
    (row,) = _cells(page, "HotpotQA-4 binary")
    assert row[1] == "0.110, 0.313 (300)"
    assert row[2] == "0.203"
    assert row[3].endswith("(24)")


def test_status_beside_the_paper_is_ours_and_not_the_printed_one(page: str) -> None:
    (row,) = _cells(page, "HotpotQA-4 binary")
    assert "primary" in row[0]
    assert row[-1] == "descriptive"


def test_a_router_that_was_not_run_is_named_and_not_filled(page: str) -> None:
    (row,) = _cells(page, "same local score, no partition")
    assert row[3:] == ["–", "–", "no partition was not run"]


def test_page_of_a_study_shows_its_own_rows_of_the_paper_only(root: Path, folders: list[Path]) -> None:
    own = render_study(folders[0], root / "seals")
    assert _cells(own, "HotpotQA-4 binary")
    assert not _cells(own, "MuSiQue-12 privileged")


def test_without_a_sealed_campaign_the_page_claims_no_joint_correction(page: str) -> None:
    assert "adjusted p covers one study at a time" in page
    assert "over all of them together" not in page


def test_own_table_of_a_campaign_decides_adjusted_p(root: Path, folders: list[Path], tmp_path: Path) -> None:
    rows = read_table(folders[0] / "contrasts.parquet", CONTRASTS).to_pylist()
    joint = [row | {"p_adjusted": 0.777, "reject": False} for row in rows if row["family"] == "primary"]
    tests = tmp_path / "contrasts.parquet"
    write_table(tests, CONTRASTS.from_rows(joint), CONTRASTS)
    made = render_campaign(folders, root / "seals", tests)
    assert made.count("0.777") == len(joint)
    assert "2 primary tests, 0 rejected after Holm over all of them together" in made


def test_offline_study_says_that_no_model_was_asked(root: Path, folders: list[Path]) -> None:
    own = render_study(folders[0], root / "seals")
    assert "No model was asked" in own
    assert "Raw and verified answers" not in own
