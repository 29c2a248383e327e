"""Outcomes: each endpoint, failed runs, closed denominators, the offline path."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.cover.grading import counted, grade, grade_offline
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import FINALS, MESSAGES, OUTCOMES
from unit.grading.cells import ALL, GOLD, SENTENCES, TEAMS, answers, evidence, finals, messages, plan

Graded = dict[tuple[str, str], tuple[float | None, str]]
STATUSES = st.sampled_from(["ok", "invalid_run", "missing"])


def graded(
    quotes: dict[str, str] | None = None,
    said: dict[str, str] | None = None,
    message_status: dict[str, str] | None = None,
    final_status: dict[str, str] | None = None,
) -> Graded:
    table = grade(
        plan(),
        messages(quotes or {}, message_status or {}),
        finals(said or {}, final_status or {}),
        evidence(),
        answers(),
        ALL,
        "s",
    )
    return {(row["endpoint"], row["team_id"]): (row["value"], row["status"]) for row in table.to_pylist()}


def values(graded_cells: Graded, endpoint: str) -> dict[str, float | None]:
    return {team: graded_cells[endpoint, team][0] for team in TEAMS}


def test_evidence_is_what_the_team_holds() -> None:
    cells = graded()
    assert values(cells, "evidence_complete") == {"g01": 1, "g02": 0, "g03": 0, "g04": 0}
    assert values(cells, "evidence_coverage") == {"g01": 1, "g02": 0.5, "g03": 0.5, "g04": 0}


def test_an_answer_is_verified_only_where_exact_and_with_all_evidence_quoted() -> None:
    cells = graded(said={"g04": "Osmark"})
    assert values(cells, "answer_exact") == {"g01": 1, "g02": 1, "g03": 1, "g04": 0}
    assert values(cells, "evidence_verified") == {"g01": 1, "g02": 0, "g03": 0, "g04": 0}
    assert values(cells, "answer_verified") == {"g01": 1, "g02": 0, "g03": 0, "g04": 0}
    assert values(graded(said={"g01": "Osmark"}), "answer_verified")["g01"] == 0


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " ",
        "Night Ferry is a song.",
        SENTENCES["w2"][0],
        "its author is jon hale.",
    ],
)
def test_a_quote_that_is_not_in_that_workers_passage_verifies_nothing(quote: str) -> None:
    cells = graded(quotes={"w1": quote})
    assert cells["evidence_verified", GOLD] == (0.0, "ok")


@pytest.mark.parametrize(
    "quote", ["Jon Hale was born in Castelby.", "Jon Hale\twas born", "nonsense\nCastelby."]
)
def test_white_space_aside_any_line_found_in_the_passage_is_a_quote(quote: str) -> None:
    assert graded(quotes={"w2": quote})["evidence_verified", GOLD] == (1.0, "ok")


def test_aliases_count_and_a_second_line_does_not() -> None:
    cells = graded(said={"g01": "Castelby town\nno", "g02": "no\nCastelby"})
    assert cells["answer_exact", "g01"][0] == 1
    assert cells["answer_exact", "g02"][0] == 0


def test_a_failed_message_fails_what_reads_it_in_its_teams_only() -> None:
    cells = graded(message_status={"w1": "invalid_run"})
    assert cells["evidence_verified", "g01"] == (0.0, "invalid_run")
    assert cells["answer_verified", "g02"] == (0.0, "invalid_run")
    assert cells["answer_exact", "g01"] == (1.0, "ok")
    assert cells["evidence_complete", "g01"] == (1.0, "ok")
    assert cells["answer_verified", "g03"] == (0.0, "ok")


def test_a_missing_run_has_no_value_even_beside_a_failed_one() -> None:
    cells = graded(message_status={"w1": "invalid_run", "w2": "missing"}, final_status={"g03": "missing"})
    assert cells["answer_verified", "g01"] == (None, "missing")
    assert cells["answer_exact", "g03"] == (None, "missing")
    assert cells["evidence_verified", "g04"] == (0.0, "ok")


@given(
    st.fixed_dictionaries(dict.fromkeys(SENTENCES, STATUSES)),
    st.fixed_dictionaries(dict.fromkeys(TEAMS, STATUSES)),
)
def test_every_outcome_has_a_value_exactly_where_nothing_is_missing_and_failures_score_zero(
    message_status: dict[str, str], final_status: dict[str, str]
) -> None:
    for value, status in graded(message_status=message_status, final_status=final_status).values():
        assert (value is None) == (status == "missing")
        assert status != "invalid_run" or value == 0.0


def test_rows_that_are_not_there_are_missing_and_the_denominator_closes() -> None:
    nothing = MESSAGES.fields.empty_table(), FINALS.fields.empty_table()
    table = grade(plan(), *nothing, evidence(), answers(), ["answer_verified"], "s")
    assert table.column("status").to_pylist() == ["missing"] * 4
    assert (counted(table, 4).planned, counted(table, 4).missing) == (4, 4)


def test_a_count_that_does_not_close_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="do not close"):
        counted(OUTCOMES.fields.empty_table(), 1)


def test_every_replicate_is_graded_from_its_own_runs() -> None:
    said = finals({}, {}, replicates=2).to_pylist()
    for row in said:
        row["answer"] = "Castelby" if row["replicate"] else "Osmark"
    table = grade(
        plan(),
        messages({}, {}, replicates=2),
        FINALS.from_rows(said),
        evidence(),
        answers(),
        ["answer_exact"],
        "s",
        replicates=2,
    )
    assert {(row["replicate"], row["value"]) for row in table.to_pylist()} == {(0, 0.0), (1, 1.0)}
    assert table.num_rows == 8


def test_the_offline_path_needs_only_evidence_and_agrees_with_the_full_one() -> None:
    offline = grade_offline(plan(), evidence(), answers(), ["evidence_complete", "evidence_coverage"])
    assert set(offline.column("stack").to_pylist()) == {"offline"}
    full = graded()
    for row in offline.to_pylist():
        assert (row["value"], row["status"]) == full[row["endpoint"], row["team_id"]]


@pytest.mark.parametrize(
    ("endpoint", "expected"), [("answer_exact", "needs no model"), ("accuracy", "one of")]
)
def test_an_endpoint_that_cannot_be_graded_offline_is_refused(endpoint: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        grade_offline(plan(), evidence(), answers(), [endpoint])


def test_a_planned_task_without_private_rows_is_named() -> None:
    absent = answers().slice(0, 0)
    with pytest.raises(InputError, match="'t1'"):
        grade_offline(plan(), evidence(), pa.table(absent), ["evidence_complete"])
