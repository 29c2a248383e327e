"""The study toolsandbox16 as a user runs it, with a small stand-in for ToolSandbox behind the same pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from project_copy import Project
from routeaudit.tables import read_json, read_table
from routeaudit.tables.artifacts import INDEX_TASKS, OUTCOMES, PLAYS
from unit.play.fake_sandbox import SCENARIOS, interpreter

pytestmark = [pytest.mark.dag, pytest.mark.timeout(600)]

STUDY = "toolsandbox16"
PLAYABLE = ("wifi", "boss", "mail", "impossible")


def _scenarios(folder: Path) -> None:
    """The stand-in's scenarios as ToolSandbox's are exported, plain and with all tools."""
    exported = [
        {
            "name": name + suffix,
            "tool_allow_list": SCENARIOS[name]["tools"],
            "milestones": SCENARIOS[name]["milestones"],
            "minefields": SCENARIOS[name]["minefields"],
            "user_request": SCENARIOS[name]["request"],
        }
        for name in PLAYABLE
        for suffix in ("", "_all_tools")
    ]
    (folder / "scenarios.json").write_text(json.dumps(exported))


def _run(project: Project, folder: Path, *settings: str, shards: int = 1) -> str:
    overrides = [
        "benchmark.source.sha256=null",
        "split.heldout_variants=[all_tools]",
        "stacks.scripted.sandbox_sha256=null",
        f"execution.shards={shards}",
        *settings,
    ]
    arguments = ("--config", f"studies={STUDY}", f"data_dir={folder}", f"overrides={json.dumps(overrides)}")
    done = project.snakemake(*arguments, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.fixture(scope="module")
def played(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, complete, in two shards."""
    folder = tmp_path_factory.mktemp("sandbox")
    _scenarios(folder)
    python = f"execution.toolsandbox_python={interpreter(folder)}"
    assert _run(project, folder, python, shards=2) == ""
    return project.folder / "results" / STUDY


def test_the_variants_lie_apart_and_every_cell_has_the_evaluators_value(played: Path) -> None:
    index = read_table(played / "index/tasks.parquet", INDEX_TASKS).to_pylist()
    assert {(row["tier"], row["split"]) for row in index} == {("plain", "train"), ("all_tools", "heldout")}
    plays = read_table(played / "heldout/scripted/plays.parquet", PLAYS).to_pylist()
    outcomes = read_table(played / "heldout/outcomes.parquet", OUTCOMES).to_pylist()
    assert len(plays) == len(outcomes) == 16 * len(PLAYABLE)
    assert {(r["task_id"], r["team_id"]): r["value"] for r in outcomes} == {
        (r["task_id"], r["team_id"]): r["similarity"] for r in plays
    }


def test_contract_and_page_name_the_rule_of_the_split(played: Path) -> None:
    contract = read_json(played / "contract.json")
    assert contract["sections"]["split"]["disjoint"] == "variant"
    assert "toolsandbox_python" not in json.dumps(contract)
    page = (played / "report.html").read_text()
    assert "variant-disjoint" in page
    assert "an oracle with allowed tools" in page


def test_without_an_interpreter_the_run_says_what_is_missing(played: Path, tmp_path: Path) -> None:
    _scenarios(tmp_path)
    folder = tmp_path / "fresh"
    folder.mkdir()
    fresh = Project(folder)
    _run(fresh, tmp_path)
    logs = (fresh.folder / "results" / STUDY / "logs").glob("play-train-*.log")
    assert "execution.toolsandbox_python" in "".join(path.read_text() for path in logs)
