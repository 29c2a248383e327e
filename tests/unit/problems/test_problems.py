"""Problems: the invented world is seeded and fair, files are checked, bad ones are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routeaudit.config.problems import FileProblems, WorldProblems
from routeaudit.deliberation.problems.base import Problem, read_problems, write_problems
from routeaudit.deliberation.problems.load import load_problems
from routeaudit.errors import InputError

WORLD = WorldProblems(kind="world", n=60, knowers=(2, 1, 3, 0))


def test_as_many_briefs_hold_the_answer_as_the_tier_says() -> None:
    for number, problem in enumerate(load_problems(WORLD)):
        holders = sum(problem.answer in brief for brief in problem.briefs)
        assert holders == WORLD.knowers[number % 4]
        assert problem.tier == f"{WORLD.seats - holders + 1:02d}"


def test_every_brief_has_the_same_number_of_facts_and_the_asked_office_once_at_most() -> None:
    for problem in load_problems(WORLD):
        asked = problem.question.removeprefix("Who is ").removesuffix("?").lower()
        for brief in problem.briefs:
            assert brief.count(" is ") == WORLD.notes
            assert brief.lower().count(asked) == (problem.answer in brief)


def test_the_answer_has_no_favourite_place_among_options_or_seats() -> None:
    problems = load_problems(WORLD.model_copy(update={"n": 400, "knowers": (1,)}))
    places = [p.options.index(p.answer) for p in problems if p.options]
    seats = [next(i for i, brief in enumerate(p.briefs) if p.answer in brief) for p in problems]
    assert all(30 <= places.count(i) <= 70 for i in range(4))
    assert all(100 <= seats.count(i) <= 167 for i in range(3))


def test_a_world_is_its_seed() -> None:
    assert load_problems(WORLD) == load_problems(WORLD)
    assert load_problems(WORLD) != load_problems(WORLD.model_copy(update={"seed": 2}))


def test_both_formats_take_turns() -> None:
    assert [p.kind for p in load_problems(WORLD)[:4]] == ["choice", "short", "choice", "short"]


def test_more_knowers_than_seats_are_refused() -> None:
    with pytest.raises(InputError, match=r"problems\.knowers"):
        load_problems(WorldProblems(kind="world", seats=2, knowers=(3,)))


def test_problems_survive_their_file(tmp_path: Path) -> None:
    problems = load_problems(WORLD)
    write_problems(tmp_path / "problems.json", problems)
    assert read_problems(tmp_path / "problems.json") == problems


def plain(tmp_path: Path, *records: object) -> FileProblems:
    (tmp_path / "bank.jsonl").write_text("\n".join(json.dumps(record) for record in records))
    return FileProblems(kind="file", format="plain", files=("bank.jsonl",), data_dir=str(tmp_path))


def test_plain_records_carry_tier_difficulty_aliases_and_options(tmp_path: Path) -> None:
    config = plain(
        tmp_path,
        {"uid": 1, "question": "q", "answer": "b", "options": ["a", "b"], "tier": 3, "difficulty": 3},
        {"uid": 2, "question": "q", "answer": "NYC", "aliases": ["New York"]},
        {"uid": 3, "question": "q", "answer": "1/2", "kind": "math"},
    )
    first, second, third = load_problems(config)
    assert (first.kind, first.tier, first.difficulty, set(first.options)) == ("choice", "3", 3.0, {"a", "b"})
    assert (second.kind, second.aliases) == ("short", ("New York",))
    assert third.kind == "math"


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"uid": 1, "question": "q"}, "no field 'answer'"),
        ({"uid": 1, "question": " ", "answer": "x"}, "an empty one"),
        ({"uid": 1, "question": "q", "answer": "c", "options": ["a", "b"]}, "the answer among the options"),
        ({"uid": 1, "question": "q", "answer": "a", "options": ["a", "a"]}, "different options"),
        ([1], "a JSON object"),
    ],
)
def test_a_record_off_its_format_is_named(tmp_path: Path, record: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        load_problems(plain(tmp_path, record))


def test_a_uid_twice_is_refused(tmp_path: Path) -> None:
    record = {"uid": 1, "question": "q", "answer": "a"}
    with pytest.raises(InputError, match="each uid once"):
        load_problems(plain(tmp_path, record, record))


def test_another_file_than_the_declared_one_is_refused(tmp_path: Path) -> None:
    config = plain(tmp_path, {"uid": 1, "question": "q", "answer": "a"})
    with pytest.raises(InputError, match="sha256"):
        load_problems(config.model_copy(update={"sha256": ("0" * 64,)}))


def test_seats_beyond_the_briefs_begin_again() -> None:
    problem = Problem("u", "q", "short", "a", briefs=("x", "y"))
    assert [problem.brief(seat) for seat in range(3)] == ["x", "y", "x"]
