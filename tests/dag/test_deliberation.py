"""A whole deliberation study: an actor on two benchmarks, sharded, judged, replayed and audited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from project_copy import Project

pytestmark = pytest.mark.dag

STUDY = """# @package _global_
actors:
  one: {model: {backend: scripted, name: one, noise: 0.3, noise_text: "{}"}}
benchmarks:
  choice: {kind: world, n: 5, formats: [choice]}
  short: {kind: world, n: 4, formats: [short]}
protocol:
  schedule: {max_rounds: 1, discussion_turns: 2, approval_rounds: 1}
baselines: {modes: [baseline_llm, single_agent]}
judges:
  j1: {model: {backend: scripted, name: j1}}
  j2: {model: {backend: scripted, name: j2, noise: 0.5, noise_text: '{"verdict":"divergent"}'}}
audit: {resamples: 50, permutations: 10}
execution: {shards: 2}
"""
VERIFY = "import sys; from routeaudit.cli.main import main; sys.exit(main(['verify', 'results/tiny']))"
RUN = ("--config", "studies=[]", "deliberations=tiny")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("project"))
    (project.folder / "config" / "deliberation" / "tiny.yaml").write_text(STUDY)
    project.snakemake(*RUN)
    return project


def results(project: Project) -> Path:
    return project.folder / "results" / "tiny"


def test_every_cell_is_replayed_equal_and_has_its_card(ran: Project) -> None:
    for benchmark, count in (("choice", 5), ("short", 4)):
        cell = results(ran) / "one" / benchmark
        assert json.loads((cell / "replay.json").read_text())["equal"]
        card = json.loads((cell / "card.json").read_text())
        assert card["totals"]["problems"] == count
        assert card["protocol"]["judges"][0].startswith("j1:")
    page = (results(ran) / "grid.html").read_text()
    assert "one/choice/audit.html" in page
    assert "one/short/audit.html" in page


def test_a_finished_study_has_nothing_to_do_and_its_records_hold(ran: Project) -> None:
    assert ran.planned(*RUN) == {}
    verified = ran.python("-c", VERIFY, check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_changed_audit_setting_reruns_audits_only(ran: Project) -> None:
    changed = ran.planned(*RUN, 'deliberation_overrides=["audit.resamples=60"]')
    assert changed == {"audit_traces": 2, "grid": 1}


def test_an_unknown_key_ends_with_its_name(ran: Project) -> None:
    done = ran.snakemake("-n", *RUN, 'deliberation_overrides=["protocol.colour=red"]', check=False)
    assert done.returncode != 0
    assert "protocol.colour" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
