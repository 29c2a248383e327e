"""score, audit and convert read every format through one reader, and say what looks wrong in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from foreign_formats import FORMATS

from places import ROOT
from routeaudit.cli.main import main
from routeaudit.deliberation.other_scale import other_scale

TASKS = range(1, 9)
OUTCOMES = {
    "task_id": [t for t in TASKS for _ in "ab"],
    "team_id": [team for _ in TASKS for team in "ab"],
    "outcome": [float((t + (team == "a")) % 3 == 0) for t in TASKS for team in "ab"],
    "source_id": [t // 2 for t in TASKS for _ in "ab"],
}
ROUTES = {
    "policy": [policy for policy in "pq" for _ in TASKS],
    "task_id": [*TASKS, *TASKS],
    "team_id": ["a" if t % 2 else "b" for t in TASKS] + ["b" for _ in TASKS],
}
CANDIDATES = {
    "problem_uid": [q for q in range(12) for _ in range(3)],
    "agent": [a for _ in range(12) for a in range(3)],
    "score": [float((37 * q + 29 * a) % 101) for q in range(12) for a in range(3)],
    "correct": [(q + a) % 3 == 0 for q in range(12) for a in range(3)],
    "answer": [f"é {q * a}" for q in range(12) for a in range(3)],
}
QUICK = ("--resamples", "20", "--permutations", "5")


def write(folder: Path, name: str, columns: dict[str, list[object]]) -> str:
    (folder / name).write_bytes(FORMATS[name](columns))
    return str(folder / name)


def audited(folder: Path, *arguments: str) -> dict[str, object]:
    assert main(["audit", *arguments, *QUICK, "--out", str(folder)]) == 0
    return json.loads((folder / "card.json").read_text())


@pytest.mark.parametrize("name", FORMATS)
def test_score_finds_the_same_in_every_format(name, tmp_path, capsys):
    family = {column: OUTCOMES[column] for column in ("task_id", "team_id")}
    tables = {"outcomes": OUTCOMES, "routes": ROUTES, "family": family}
    found = []
    for kind in ("comma.csv", name):
        paths = {}
        for table, columns in tables.items():
            folder = tmp_path / f"{table}-{len(found)}"
            folder.mkdir()
            paths[table] = write(folder, kind, columns)
        arguments = [paths["outcomes"], paths["routes"], "--family", paths["family"], "--json"]
        assert main(["score", *arguments]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["endpoints"][0]["clusters"] == 5


@pytest.mark.parametrize("name", FORMATS)
def test_audit_and_convert_find_the_same_in_every_format(name, tmp_path):
    plain, other = (write(tmp_path, kind, CANDIDATES) for kind in ("comma.csv", name))
    whole = audited(tmp_path / "plain", plain, "--scale", "100")
    assert audited(tmp_path / "other", other, "--scale", "100")["data_digests"] == whole["data_digests"]
    out = str(tmp_path / "trace")
    assert main(["convert", "plain", other, "--scale", "100", "--out", out]) == 0
    converted = audited(tmp_path / "converted", out)
    assert converted["metrics"]["routing"] == whole["metrics"]["routing"]
    assert converted["data_digests"]["blocks"] == whole["data_digests"]["blocks"]


@pytest.mark.parametrize("blank", ["", "  ", "NaN", "null"])
def test_a_blank_source_is_its_own_and_counted(blank, tmp_path, capsys):
    rows = "".join(f"t{t},a,{t % 2},{blank if t < 4 else 's'}\n" for t in range(1, 7))
    (tmp_path / "o.csv").write_text("task_id,team_id,outcome,source_id\n" + rows)
    (tmp_path / "r.csv").write_text("policy,task_id,team_id\n" + "".join(f"p,t{t},a\n" for t in range(1, 7)))
    assert main(["score", str(tmp_path / "o.csv"), str(tmp_path / "r.csv")]) == 0
    told = capsys.readouterr().out
    assert "6 tasks in 4 clusters" in told
    assert "3 tasks without a source id: each is its own source" in told


def test_a_list_of_sources_in_every_row_of_a_task_is_no_contradiction(tmp_path, capsys):
    rows = [
        {"task_id": t, "team_id": team, "outcome": 1, "source_id": sources}
        for t, sources in ((1, ["x", "y"]), (2, ["y", "z"]), (3, []), (4, None), (5, [None, " "]))
        for team in "ab"
    ]
    rows[1]["source_id"] = ["y", "x"]
    (tmp_path / "o.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "r.csv").write_text("policy,task_id,team_id\n" + "".join(f"p,{t},a\n" for t in range(1, 6)))
    assert main(["score", str(tmp_path / "o.jsonl"), str(tmp_path / "r.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["endpoints"][0]["clusters"], found["tasks_without_source_id"]) == (4, 3)


def test_a_streamed_table_with_whole_numbers_as_ids_is_scored_as_in_memory(tmp_path, capsys):
    outcomes = {name: OUTCOMES[name] for name in ("task_id", "team_id", "outcome")}
    pq.write_table(pa.table(outcomes), tmp_path / "o.parquet")
    routes = write(tmp_path, "tab.tsv", ROUTES)
    found = []
    for extra in ([], ["--stream"]):
        assert main(["score", str(tmp_path / "o.parquet"), routes, "--json", *extra]) == 0
        estimates = json.loads(capsys.readouterr().out)["endpoints"][0]["estimates"]
        found.append({(e["subject"], e["metric"]): e["estimate"] for e in estimates})
    assert found[1].items() <= found[0].items()


def test_streaming_refuses_routes_for_unknown_tasks(tmp_path, capsys):
    pq.write_table(pa.table({"task_id": ["1"], "team_id": ["a"], "outcome": [1]}), tmp_path / "o.parquet")
    (tmp_path / "r.csv").write_text("policy,task_id,team_id\np,1,a\np,01,a\n")
    assert main(["score", str(tmp_path / "o.parquet"), str(tmp_path / "r.csv"), "--stream"]) == 1
    assert "'01' is not '1': identifiers are text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("top", "scale", "told"),
    [
        (1.0, "100", "the scores look like 0 to 1. If 1 means certainty, audit again with --scale 1"),
        (10.0, "100", "the scores look like 0 to 10"),
        (1.0, "10", "the scores look like 0 to 1"),
        (1.0, "5", "the scores look like 0 to 1"),
        (100.0, "1", "above 1, which is said to mean certainty: the scores look like 0 to 100"),
        (100.0, "100", None),
        (11.0, "100", None),
        (1.0, "1", None),
    ],
)
@pytest.mark.parametrize("converted", [False, True])
def test_scores_that_look_like_another_scale_are_cautioned_everywhere(
    top, scale, told, converted, tmp_path, capsys
):
    scores = [top * score / 100 for score in CANDIDATES["score"]]
    scores[0] = top
    path = write(tmp_path, "comma.csv", CANDIDATES | {"score": scores})
    arguments = [path, "--scale", scale]
    if converted:
        assert main(["convert", "plain", *arguments, "--out", str(tmp_path / "trace")]) == 0
        arguments = [str(tmp_path / "trace")]
    capsys.readouterr()
    card = audited(tmp_path / "out", *arguments)
    printed = capsys.readouterr().out.splitlines()
    shown = [line for line in printed if line.startswith("caution: ") and "look like" in line]
    assert [told in line for line in shown] == ([True] if told else [])
    assert [caution for caution in card["cautions"] if "another" in caution or "look like" in caution] == [
        line.removeprefix("caution: ") for line in shown
    ]
    if told:
        page = (tmp_path / "out" / "audit.html").read_text()
        assert shown[0].removeprefix("caution: ") in page


def test_scores_that_are_all_zero_or_absent_look_like_no_other_scale():
    assert other_scale(np.zeros(3), 100) == other_scale(np.full(3, np.nan), 100) == ""


def test_percent_signs_are_read_on_the_scales_100_and_1(tmp_path):
    cards = []
    for name, sign, scale in (("plain", "", "100"), ("signed", "%", "100"), ("share", "%", "1")):
        scores = [f"{score:g}{sign}" for score in CANDIDATES["score"]]
        folder = tmp_path / name
        folder.mkdir()
        path = write(folder, "comma.csv", CANDIDATES | {"score": scores})
        cards.append(audited(folder / "out", path, "--scale", scale))
    assert cards[0]["data_digests"] == cards[1]["data_digests"]
    ece = [next(m for m in c["metrics"]["calibration"]["raw"] if m["metric"] == "ECE") for c in cards]
    assert ece[2]["estimate"] == pytest.approx(ece[0]["estimate"], abs=0.05)
    assert cards[2]["invalid_polls"]["out_of_range"] == 0


@pytest.mark.concurrent
@pytest.mark.parametrize(
    "argv",
    [
        ("audit", "nowhere.csv", "--scale", "1"),
        ("score", "nowhere.csv", "nowhere.csv"),
        ("convert", "plain", "nowhere.csv", "--scale", "1", "--out", "out"),
    ],
)
def test_an_absent_path_is_said_before_anything_heavy_is_imported(argv, tmp_path):
    code = (
        "import sys; from routeaudit.cli.main import main; status = main(sys.argv[1:]); "
        "heavy = {'scipy', 'sklearn', 'pandas', 'altair', 'jsonschema'} & set(sys.modules); "
        "print(sorted(heavy)); sys.exit(status)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow" / "lib")}
    done = subprocess.run(
        [sys.executable, "-c", code, *argv], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout == "[]\n"
    assert "nothing there" in done.stderr
    assert "Traceback" not in done.stderr
