"""routeaudit score: what the table allows is said, bad input is told apart, nothing is half-written."""

from __future__ import annotations

import argparse
import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routeaudit.cli import score
from routeaudit.errors import InputError


def run(*arguments):
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["score", *map(str, arguments)])
    return parsed.run(parsed)


def write(path, rows):
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def table(tasks=40, teams=3, sources=None):
    rng = np.random.default_rng(0)
    return [
        {
            "task_id": f"{t:03d}",
            "team_id": f"a{a}",
            "outcome": int(rng.random() < 0.3 + 0.2 * a),
            "source_id": f"s{t if sources is None else t // sources}",
            "n_workers": a + 1,
        }
        for t in range(tasks)
        for a in range(teams)
    ]


@pytest.fixture
def routes(tmp_path):
    rows = [
        {"policy": policy, "task_id": f"{t:03d}", "team_id": team}
        for policy, team in (("best", "a2"), ("cheap", "a0"))
        for t in range(40)
    ]
    return write(tmp_path / "routes.csv", rows)


def result(capsys, *arguments):
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_a_complete_table_identifies_exact_regret(tmp_path, routes, capsys):
    rows = table()
    found = result(capsys, write(tmp_path / "o.csv", rows), routes)
    endpoint = found["endpoints"][0]
    assert endpoint["regime"] == "complete"
    best = np.array([row["outcome"] for row in rows]).reshape(40, 3)
    regret = next(e for e in endpoint["estimates"] if (e["subject"], e["metric"]) == ("cheap", "regret"))
    assert regret["numerator"] == int((best.max(axis=1) - best[:, 0]).sum())
    assert found["contrasts"][0]["gain"]["numerator"] == int((best[:, 2] - best[:, 0]).sum())
    assert found["status"] == "descriptive"


def test_a_missing_routed_cell_gives_bounds_and_is_what_to_run_next(tmp_path, routes, capsys):
    rows = [row for row in table() if (row["task_id"], row["team_id"]) != ("007", "a2")]
    endpoint = result(capsys, write(tmp_path / "o.csv", rows), routes)["endpoints"][0]
    assert endpoint["regime"] == "route_union"
    assert endpoint["next_cells"][0]["cells"] == [["007", "a2"]]
    assert next(e for e in endpoint["estimates"] if e["subject"] == "best")["identification"] == "bounds"


def test_without_a_family_ragged_tasks_give_no_absolute_regret(tmp_path, routes, capsys):
    rows = [row for row in table() if not (row["task_id"] < "020" and row["team_id"] == "a1")]
    outcomes = write(tmp_path / "o.csv", rows)
    endpoint = result(capsys, outcomes, routes)["endpoints"][0]
    assert "no family file" in endpoint["why"]
    assert "regret" not in {e["metric"] for e in endpoint["estimates"]}
    family = write(tmp_path / "f.csv", [{"task_id": r["task_id"], "team_id": r["team_id"]} for r in rows])
    assert result(capsys, outcomes, routes, "--family", family)["endpoints"][0]["regime"] == "complete"


def test_repeated_sources_are_clustered(tmp_path, routes, capsys):
    endpoint = result(capsys, write(tmp_path / "o.csv", table(sources=4)), routes)["endpoints"][0]
    assert (endpoint["tasks"], endpoint["clusters"]) == (40, 10)


def test_a_list_of_sources_joins_tasks_through_any_of_them(tmp_path, routes, capsys):
    rows = table()
    for row in rows:
        t = int(row["task_id"])
        row["source_id"] = [f"p{t}", f"p{t + 1}"] if t % 4 != 3 else [f"p{t}"]
    path = tmp_path / "o.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert result(capsys, path, routes)["endpoints"][0]["clusters"] == 10


def test_formats_agree(tmp_path, routes, capsys):
    rows = table()
    lines = tmp_path / "o.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "o.parquet")
    found = [result(capsys, write(tmp_path / "o.csv", rows), routes)]
    found += [result(capsys, path, routes) for path in (lines, tmp_path / "o.parquet")]
    assert found[0] == found[1] == found[2]


def test_streaming_prints_the_same_numbers(tmp_path, routes, capsys):
    rows = [{name: row[name] for name in ("task_id", "team_id", "outcome")} for row in table()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "o.parquet")
    with routes.open() as handle:
        pq.write_table(pa.Table.from_pylist(list(csv.DictReader(handle))), tmp_path / "r.parquet")
    whole = result(capsys, tmp_path / "o.parquet", routes)
    streamed = result(capsys, tmp_path / "o.parquet", tmp_path / "r.parquet", "--stream")
    assert streamed["contrasts"][0]["gain"] == whole["contrasts"][0]["gain"] | {
        "subject": streamed["contrasts"][0]["gain"]["subject"]
    }
    known = {(e["subject"], e["metric"]): e for e in whole["endpoints"][0]["estimates"]}
    for estimate in streamed["endpoints"][0]["estimates"]:
        assert estimate == known[estimate["subject"], estimate["metric"]]


def test_text_and_files_say_the_same(tmp_path, routes, capsys):
    out = tmp_path / "out"
    assert run(write(tmp_path / "o.csv", table()), routes, "--out", out, "--criterion", "cheap=0.9") == 0
    shown = capsys.readouterr().out
    assert (out / "score.txt").read_text() == shown
    assert "regime: complete" in shown
    assert "cheap <= 0.9" in shown
    assert "descriptive" in shown
    assert {p.name for p in out.iterdir()} == {
        "score.json",
        "score.txt",
        "scores.csv",
        "contrasts.csv",
        "criteria.csv",
    }


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("o.csv", "task_id,team_id\n000,a0\n", "o.csv"),
        ("o.csv", "task_id,team_id,outcome\n000,a0,yes\n", "column 'outcome'"),
        ("o.csv", "task_id,team_id,outcome\n000,a0,2\n", "task '000', team 'a0'"),
        ("o.csv", "task_id,team_id,outcome\n", "o.csv"),
        ("o.csv", "", "o.csv"),
        ("o.xlsx", "x", "o.xlsx"),
        ("o.jsonl", "{not json", "o.jsonl"),
        ("o.parquet", "not parquet", "o.parquet"),
        ("missing.csv", None, "missing.csv"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(tmp_path, routes, name, content, where):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError) as error:
        run(path, routes, "--out", tmp_path / "out")
    assert where in error.value.where
    assert not (tmp_path / "out").exists()


def test_a_criterion_for_an_unknown_policy_is_refused(tmp_path, routes):
    with pytest.raises(InputError, match="criterion"):
        run(write(tmp_path / "o.csv", table()), routes, "--criterion", "nobody=0.1")


def test_a_policy_that_routes_a_task_twice_is_refused(tmp_path):
    rows = [{"policy": "p", "task_id": "000", "team_id": team} for team in ("a0", "a1")]
    with pytest.raises(InputError, match="task '000'"):
        run(write(tmp_path / "o.csv", table()), write(tmp_path / "r.csv", rows))
