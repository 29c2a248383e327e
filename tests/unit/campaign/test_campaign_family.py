"""One Holm family over the tests of several studies, and the statuses that a campaign may lower."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from routeaudit.config.campaign import CampaignConfig, validated_campaign
from routeaudit.cover.campaign.family import LATE, StudyResults, joint_contrasts, joint_criteria
from routeaudit.errors import InputError
from routeaudit.tables.results import CONTRASTS, CRITERIA
from routeaudit.tables.schema import TableSchema

CAMPAIGN = CampaignConfig.model_validate(
    {
        "studies": ["one", "two", "three"],
        "tests": {name: {"study": name, "contrast": "gain"} for name in ("one", "two", "three")},
        "criteria": {"bar": {"study": "two", "criterion": "bar"}},
    }
)


def _row(schema: TableSchema, **given: Any) -> dict[str, Any]:
    empty: dict[pa.DataType, Any] = {
        pa.string(): "",
        pa.int64(): 0,
        pa.float64(): 0.0,
        pa.bool_(): False,
    }
    blank = {f.name: None if f.nullable else empty.get(f.type, []) for f in schema.fields}
    return blank | given


def _study(p: float | None, status: str = "primary", in_time: bool = True) -> StudyResults:
    rows = [
        _row(CONTRASTS, family="primary", contrast="gain", p=p, status=status, endpoint="e"),
        _row(CONTRASTS, family="secondary", contrast="gain", p=0.0, status=status, endpoint="e"),
        _row(CONTRASTS, family="primary", contrast="other", p=0.0, status=status, endpoint="e"),
    ]
    bars = [_row(CRITERIA, criterion="bar", status=status, verdict="pass")]
    return StudyResults(CONTRASTS.from_rows(rows), CRITERIA.from_rows(bars), in_time)


def _joint(**studies: StudyResults) -> dict[str, dict[str, Any]]:
    rows = joint_contrasts(CAMPAIGN, studies).to_pylist()
    return {row["contrast"]: row for row in rows}


def test_holm_runs_over_the_tests_of_all_studies() -> None:
    rows = _joint(one=_study(0.02), two=_study(0.01), three=_study(0.04))
    adjusted = {name: row["p_adjusted"] for name, row in rows.items()}
    assert adjusted == pytest.approx({"two: gain": 0.03, "one: gain": 0.04, "three: gain": 0.04})
    assert all(row["reject"] for row in rows.values())
    assert all(row["p"] == pytest.approx(p) for row, p in zip(rows.values(), (0.02, 0.04, 0.01), strict=True))


def test_a_test_that_could_not_be_run_counts_in_the_family_as_one() -> None:
    rows = _joint(one=_study(None), two=_study(0.02), three=_study(0.9))
    assert rows["two: gain"]["p_adjusted"] == pytest.approx(0.06)
    assert rows["one: gain"]["p_adjusted"] == 1.0
    assert not rows["two: gain"]["reject"]


def test_a_family_sealed_after_a_studys_outcomes_makes_that_row_retrospective() -> None:
    rows = _joint(one=_study(0.1), two=_study(0.1, in_time=False), three=_study(0.1, "positive_control"))
    assert [rows[f"{name}: gain"]["status"] for name in ("one", "two", "three")] == [
        "primary",
        "retrospective",
        "positive_control",
    ]
    assert rows["two: gain"]["status_reasons"] == [LATE]


def test_a_late_seal_never_raises_a_status() -> None:
    rows = _joint(one=_study(0.1, "descriptive", in_time=False), two=_study(0.1), three=_study(0.1))
    assert rows["one: gain"]["status"] == "descriptive"


def test_criteria_are_named_after_their_study_and_share_its_status() -> None:
    studies = {"one": _study(0.1), "two": _study(0.1, in_time=False), "three": _study(0.1)}
    (row,) = joint_criteria(CAMPAIGN, studies).to_pylist()
    assert (row["criterion"], row["status"], row["verdict"]) == ("two: bar", "retrospective", "pass")


def test_a_study_scored_without_a_declared_contrast_is_an_error() -> None:
    lacking = StudyResults(CONTRASTS.fields.empty_table(), CRITERIA.fields.empty_table(), True)
    with pytest.raises(InputError, match="primary contrasts of 'two'"):
        joint_contrasts(CAMPAIGN, {"one": _study(0.1), "two": lacking, "three": _study(0.1)})


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"studies": ["one"], "tests": {"t": {"study": "two", "contrast": "c"}}}, "not in the campaign: two"),
        ({"studies": ["one"], "tests": {}}, "key tests"),
        ({"studies": ["one"], "tests": {"t": {"study": "one"}}}, "key tests.t.contrast"),
        (None, "the whole"),
    ],
)
def test_a_wrong_campaign_is_refused_with_its_key(values: Any, where: str) -> None:
    with pytest.raises(InputError, match=where):
        validated_campaign(values, "config/campaign/x.yaml")
