"""One turn on the embedded model: polls are valid, scores are answer probabilities, the replay is equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from composition import compose_deliberation
from places import ROOT
from routeaudit.config.deliberation import DeliberationStudy
from routeaudit.deliberation.audit import trace_digests
from routeaudit.deliberation.problems.load import load_problems
from routeaudit.deliberation.protocol.study import Cell, label_cell, replay_cell, run_cell

pytestmark = pytest.mark.concurrent

SMALL = (
    "actors.smollm2.model.threads=1",
    "benchmarks.world.n=1",
    "protocol.schedule.discussion_turns=1",
    "protocol.schedule.approval_rounds=0",
    "baselines.modes=[]",
)


@pytest.mark.llm
def test_the_embedded_model_polls_speaks_and_replays(tmp_path: Path) -> None:
    study = DeliberationStudy.model_validate(
        compose_deliberation(ROOT / "config", "demo_deliberation", SMALL)
    )
    problems = load_problems(study.benchmarks["world"])
    cell = Cell("world", study.actors["smollm2"], study.protocol, study.baselines, study.judges)
    with cell.panel(tmp_path, "test", quiet=True) as panel:
        trace = label_cell(cell, run_cell(cell, problems, panel), problems, panel)
    polls = trace.polls.to_pylist()
    assert [row["parse_ok"] for row in polls] == [True] * 3
    assert len({row["score_raw"] for row in polls}) > 1
    assert all(0 <= row["score_raw"] <= 100 for row in polls)
    assert all(row["answer"] in problems[0].options for row in polls)
    assert trace_digests(replay_cell(cell, problems, tmp_path, "replay")) == trace_digests(trace)
