"""A study of the usual size takes under three seconds, from its table to tested contrasts."""

from __future__ import annotations

import importlib.util

import pytest

pytestmark = pytest.mark.concurrent


@pytest.fixture(scope="module")
def commands(root):
    spec = importlib.util.spec_from_file_location(
        "statistics_commands", root / "benchmarks" / "statistics_commands.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_study_of_500_tasks_12_teams_and_8_policies_is_scored_in_under_3_seconds(commands, tmp_path):
    """CPU seconds: on an idle machine the wall shows the same, on a busy one only they say something."""
    outcomes, routes = commands.study_tables(tmp_path, 500, 12, 8)
    assert any(commands.run_command("score", str(outcomes), str(routes))["cpu"] < 3 for _ in range(2))
