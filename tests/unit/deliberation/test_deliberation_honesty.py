"""A line of honesty about a trace appears where its fact holds, and nowhere else."""

from __future__ import annotations

import argparse
import json

import pytest

from routeaudit.cli import audit as command
from routeaudit.deliberation.candidates import read_candidates
from routeaudit.deliberation.dataset import build_dataset
from routeaudit.deliberation.honesty import findings

COLUMNS = ("problem_uid", "agent", "score", "correct", "answer")


def rows(problems=6):
    """Two agents who differ in scores, answers and correctness, and each of whom is selected at times."""
    for i in range(problems):
        ada = ("ada", 60 + 5 * i, int(i % 2 == 0), f"a{i}")
        ben = ("ben", 75 if i % 3 else 50, int(i % 2 == 1), f"b{i}")
        for cells in (ada, ben):
            yield dict(zip(COLUMNS, (f"q{i}", *cells), strict=True))


def changed(agent, **values):
    return [row | values if row["agent"] == agent else row for row in rows()]


def write(path, table):
    lines = [",".join(COLUMNS), *(",".join(str(row[name]) for name in COLUMNS) for row in table)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def found(tmp_path):
    def of(table):
        data = build_dataset(read_candidates(write(tmp_path / "c.csv", table), 100.0))
        return {finding.name: finding.sentence for finding in findings(data)}

    return of


def test_a_trace_without_a_fault_gets_no_line(found):
    assert found(rows()) == {}


def test_a_router_that_always_takes_one_agent_is_named(found):
    lines = found([row | {"score": row["score"] / 10} if row["agent"] == "ben" else row for row in rows()])
    assert set(lines) == {"constant_selection"}
    assert "selected ada in every block" in lines["constant_selection"]


def test_an_agent_that_is_right_wherever_one_is_leaves_no_headroom(found):
    lines = found(changed("ben", correct=1))
    assert set(lines) == {"no_headroom"}
    assert "that of ben is" in lines["no_headroom"]


def test_agents_that_are_right_together_are_named(found):
    lines = found([row | {"correct": int(row["problem_uid"] in ("q1", "q4"))} for row in rows()])
    assert "ada = ben" in lines["identical_agents"]
    assert "no_headroom" in lines


def test_agents_that_are_never_right_leave_no_best_one(found):
    assert "no_headroom" not in found([row | {"correct": 0} for row in rows()])


def test_an_agent_with_one_answer_to_every_problem_is_named(found):
    lines = found(changed("ben", answer="42"))
    assert set(lines) == {"one_answer"}
    assert "ben (6 problems)" in lines["one_answer"]


def test_without_recorded_answers_nothing_is_said_of_them(found):
    assert found([row | {"answer": ""} for row in rows()]) == {}


def test_a_confidence_that_never_varies_is_said_of_the_agent_or_of_all(found):
    lines = found(changed("ben", score=77))
    assert set(lines) == {"constant_agent_confidence"}
    assert "ben (77 in all 6 candidates)" in lines["constant_agent_confidence"]
    everyone = found([row | {"score": 77} for row in rows()])
    assert "Every valid candidate has the score 77" in everyone["constant_confidence"]
    assert "constant_agent_confidence" not in everyone


def test_a_single_problem_is_no_evidence_of_anything(found):
    assert set(found(list(rows(1)))) <= {"no_headroom"}


# --- the command -------------------------------------------------------------------------------------------


def run(*words):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["audit", *map(str, words), "--resamples", "199", "--permutations", "19"])
    assert parsed.run(parsed) == 0


def test_the_terminal_shows_the_main_numbers_then_the_cautions_then_the_path(tmp_path, capsys):
    out = tmp_path / "out"
    run(write(tmp_path / "c.csv", changed("ben", answer="42")), "--scale", "100", "--out", out)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == str(out / "audit.html")
    assert lines[0].startswith("6 problems, 6 blocks, 12 valid candidates")
    card = json.loads((out / "card.json").read_text())
    assert [line.split()[0] for line in lines[1:8]] == ["HRWP", "CRA", "MCR", "PCCA", "CTR", "ECE", "AUROC"]
    known = [*card["metrics"]["routing"], *card["metrics"]["calibration"]["raw"]]
    for line in lines[1:8]:
        metric = next(metric for metric in known if metric["metric"] == line.split()[0])
        assert f"{metric['estimate']:.3f}" in line
        assert f"{metric['denominator']} {metric['unit']}" in line
        assert f"[{metric['interval']['lower']:.3f}, {metric['interval']['upper']:.3f}]" in line
    assert lines[8:-1] == [f"caution: {text}" for text in card["cautions"]]
    assert any("One answer" in line for line in lines)


def test_the_page_and_the_card_say_what_the_terminal_says(tmp_path, capsys):
    out = tmp_path / "out"
    run(write(tmp_path / "c.csv", changed("ben", score=77)), "--scale", "100", "--out", out)
    sentence = "Confidence that never varies: ben (77 in all 6 candidates)"
    assert sentence in capsys.readouterr().out
    assert sentence in (out / "audit.html").read_text()
    assert any(sentence in text for text in json.loads((out / "card.json").read_text())["cautions"])


def test_a_metric_that_is_not_defined_says_why(tmp_path, capsys):
    run(
        write(tmp_path / "c.csv", [row | {"correct": 0} for row in rows()]),
        "--scale",
        "100",
        "--out",
        tmp_path,
    )
    assert "HRWP   - (empty denominator)" in capsys.readouterr().out
