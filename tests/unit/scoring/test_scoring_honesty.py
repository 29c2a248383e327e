"""A line of honesty appears where its fact holds, and nowhere else."""

from __future__ import annotations

import argparse
import json

import numpy as np
import pytest
from large_family import write_family
from scoring_tables import grid_cells, routes_of

from routeaudit.cli import score
from routeaudit.cover.scoring.honesty import findings

VALUES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=float)
MIXED = [0, 1, 2, 0, 1, 2]


def found(values=VALUES, **picks):
    cells = grid_cells(np.asarray(values, dtype=float))
    return {finding.name: finding.sentence for finding in findings(cells, routes_of(cells, picks))}


def test_a_table_without_a_fault_gets_no_line():
    assert found(one=MIXED, other=[1, 1, 2, 2, 0, 1]) == {}


def test_a_policy_that_always_takes_one_team_is_named_with_its_team():
    lines = found(one=MIXED, fixed=[1] * 6)
    assert set(lines) == {"constant_policy"}
    assert "fixed (team a01)" in lines["constant_policy"]
    assert "one" not in lines["constant_policy"].split(":")[1]


def test_an_oracle_that_one_team_reaches_leaves_no_headroom():
    values = VALUES.copy()
    values[:, 2] = VALUES.max(axis=1)
    assert "a02" in found(values, one=MIXED)["no_headroom"]
    values[0, 2] = 0
    assert "no_headroom" not in found(values, one=MIXED)


def test_teams_with_equal_outcomes_are_named_and_others_are_not():
    values = np.column_stack([VALUES, VALUES[:, 0]])
    assert "a00 = a03;" in found(values, one=MIXED)["identical_teams"]
    values[0, 3] = 0
    assert "identical_teams" not in found(values, one=MIXED)


def test_policies_with_equal_outcomes_are_named_with_or_without_equal_routes():
    values = np.column_stack([VALUES, VALUES[:, 0]])
    by_twin = found(values, one=MIXED, twin=[3, 1, 2, 3, 1, 2])
    assert "one = twin;" in by_twin["identical_policies"]
    assert "identical_routes" not in by_twin
    copied = found(one=MIXED, copy=MIXED)
    assert "one = copy;" in copied["identical_routes"]
    assert "one = copy;" in copied["identical_policies"]


def test_missing_cells_make_no_two_columns_equal_and_no_oracle():
    values = np.column_stack([VALUES, VALUES[:, 0]])
    values[2, 0] = values[2, 3] = np.nan
    assert set(found(values, one=[0] * 6, twin=[3] * 6)) == {"constant_policy"}


def test_a_single_task_is_no_evidence_of_anything():
    assert found(VALUES[:1], one=[0], other=[0]) == {}


def test_long_lists_of_names_are_cut_and_counted():
    lines = found(**{f"fixed{n}": [n % 3] * 6 for n in range(9)})
    assert "and 3 more" in lines["constant_policy"]


@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_the_command_says_them_in_text_and_in_json(tmp_path, capsys, flag):
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    files = write_family(tmp_path, VALUES.astype(int))
    arguments = parser.parse_args(["score", *map(str, files), *flag])
    assert arguments.run(arguments) == 0
    shown = capsys.readouterr().out
    if flag:
        names = [finding["name"] for finding in json.loads(shown)["endpoints"][0]["findings"]]
        assert names == ["constant_policy"]
    else:
        assert "note: 3 of 3 policies route every task to the same team" in shown


def test_a_policy_declared_as_a_fixed_team_is_no_news():
    cells = grid_cells(VALUES)
    routes = routes_of(cells, {"one": MIXED, "fixed": [1] * 6, "other": [2] * 6})
    (line,) = findings(cells, routes, {"fixed"})
    assert "1 of 3 policies" in line.sentence
    assert "other (team a02)" in line.sentence
