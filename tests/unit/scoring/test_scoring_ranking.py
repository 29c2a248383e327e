"""From 30 contrasts on a ranking is printed; its numbers are those of the contrasts and of the values."""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import time

import numpy as np
import pytest
from large_family import outcomes_of, write_family
from scoring_tables import grid_cells, routes_of

from routeaudit.cli import score
from routeaudit.cover.scoring.next_cells import for_contrast, for_contrasts
from routeaudit.cover.scoring.ranking import Pair, rank_policies
from routeaudit.cover.scoring.ranking_text import ranking_block
from routeaudit.inference.plan import InferencePlan

PLAN = InferencePlan(seed=1)


def run(*arguments):
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["score", *map(str, arguments)])
    return parsed.run(parsed)


def ranked(values, pairs=(), plan=PLAN):
    return rank_policies("e", values, {}, pairs, plan)


def test_few_contrasts_are_all_printed_and_many_are_ranked(tmp_path, capsys):
    for policies, words in ((8, "paired contrasts"), (9, "ranking on outcome: 9 policies")):
        assert run(*write_family(tmp_path, outcomes_of(policies, 30))) == 0
        shown = capsys.readouterr().out
        assert words in shown
        assert ("paired contrasts" in shown) == (policies == 8)
        assert ("p000 - p001" in shown.replace("closest pair: p000", "")) == (policies == 8)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    started = time.process_time()
    assert run(*write_family(folder, outcomes_of(12, 60)), "--out", folder / "out") == 0
    return folder / "out", time.process_time() - started


def test_the_ranking_says_what_the_tables_beside_it_say(large):
    folder, _ = large
    document = json.loads((folder / "score.json").read_text())
    with (folder / "contrasts.csv").open() as handle:
        contrasts = list(csv.DictReader(handle))
    (ranking,) = document["rankings"]
    separated = [row for row in contrasts if float(row["p_adjusted"]) <= 0.05]
    assert (ranking["pairs"], ranking["separated"]) == (66, len(separated))
    winners = [row["policy"] if float(row["estimate"]) > 0 else row["reference"] for row in separated]
    for standing in ranking["standings"]:
        assert standing["beats"] == winners.count(standing["policy"])
        low, high = standing["rank_interval"]
        assert low <= standing["rank"] <= high
    values = [standing["value"] for standing in ranking["standings"]]
    assert values == sorted(values, reverse=True)
    gains = [abs(float(row["estimate"])) for row in contrasts]
    assert ranking["closest"]["gain"] == pytest.approx(min(gains))
    assert ranking["widest"]["gain"] == pytest.approx(max(gains))
    levels = {e["subject"]: e for e in document["endpoints"][0]["estimates"] if e["metric"] == "value"}
    for standing in ranking["standings"]:
        found = levels[standing["policy"]]
        assert standing["value"] == pytest.approx(found["estimate"])
        assert standing["interval"] == [found["interval"]["lower"], found["interval"]["upper"]]


def test_every_policy_has_one_line_with_its_rank_interval_and_tier(large):
    shown = (large[0] / "score.txt").read_text().splitlines()
    document = json.loads((large[0] / "score.json").read_text())
    for standing in document["rankings"][0]["standings"]:
        (line,) = [line for line in shown if line.split()[1:2] == [standing["policy"]]]
        low, high = standing["rank_interval"]
        assert line.split()[0] == str(standing["rank"])
        assert f"  {low}-{high} " in line
        assert f"{standing['value']:.4f}" in line
    told = "\n".join(shown)
    assert "of 66 pairs" in told
    assert "contrasts.csv" in told
    assert "Holm separates every policy of a tier from every policy of the tiers below it" in told


def test_16290_contrasts_are_a_page_and_the_table_is_a_file(tmp_path, capsys):
    files = write_family(tmp_path, outcomes_of(181, 41))
    started = time.process_time()
    assert run(*files, "--engine", "analytic", "--out", tmp_path / "out") == 0
    assert time.process_time() - started < 25
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) < 60
    assert "151 policies between are left out" in shown
    assert "16,290 pairs" in shown
    with (tmp_path / "out" / "contrasts.csv").open() as handle:
        assert sum(1 for _ in handle) == 16_291
    document = json.loads((tmp_path / "out" / "score.json").read_text())
    assert len(document["contrasts"]) == 16_290
    assert len(document["rankings"][0]["standings"]) == 181


def test_a_pair_is_read_the_same_whichever_policy_comes_first():
    values = {"a": np.r_[np.ones(30), np.zeros(10)], "b": np.r_[np.ones(5), np.zeros(35)]}
    there = ranked(values, [Pair(policy="a", reference="b", gain=0.625, p=0.001)])
    back = ranked(values, [Pair(policy="b", reference="a", gain=-0.625, p=0.001)])
    assert there == back
    assert [standing.tier for standing in there.standings] == [1, 2]
    assert (there.standings[0].beats, there.standings[1].beaten_by) == (1, 1)


def test_pairs_without_a_test_separate_nobody():
    values = {"a": np.ones(30), "b": np.zeros(30)}
    found = ranked(values, [Pair(policy="a", reference="b", gain=1.0, p=math.nan)])
    assert (found.separated, found.tiers) == (0, 1)


def test_a_policy_with_missing_cells_is_last_without_a_rank_and_widens_the_ranks_of_others():
    rng = np.random.default_rng(0)
    values = {
        "open": np.r_[np.nan, np.ones(299)],
        "good": (rng.random(300) < 0.9).astype(float),
        "bad": (rng.random(300) < 0.1).astype(float),
    }
    found = ranked(values, [Pair(policy="good", reference="bad", gain=0.8, p=1e-9)])
    assert [standing.policy for standing in found.standings] == ["good", "bad", "open"]
    good, bad, unknown = found.standings
    assert (good.ranks, bad.ranks, unknown.ranks) == ((1, 2), (2, 3), (1, 3))
    assert (unknown.rank, unknown.tier) == (None, None)
    line = next(line for line in ranking_block(found).splitlines() if "open" in line)
    assert line.startswith("-")
    assert "not identified" in line


def test_policies_without_a_value_stand_by_the_middle_of_their_interval():
    values = {name: np.r_[np.nan, np.ones(9)] for name in "abc"}
    intervals = {"a": (0.1, 0.3), "b": (0.4, 0.9)}
    found = rank_policies("e", values, intervals, (), PLAN)
    assert [standing.policy for standing in found.standings] == ["b", "a", "c"]


def test_ties_of_the_closest_pair_are_counted():
    values = {name: np.tile([0.0, 1.0], 10) for name in "abc"}
    pairs = [Pair(policy=p, reference=q, gain=0.0, p=1.0) for p, q in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert "2 more as close" in ranking_block(ranked(values, pairs))


def test_many_open_pairs_are_counted_not_listed(tmp_path, capsys):
    outcomes, routes = write_family(tmp_path, outcomes_of(9, 20))
    rows = [line for line in outcomes.read_text().splitlines() if not line.startswith("t007,team")]
    outcomes.write_text("\n".join(rows) + "\n")
    family = tmp_path / "family.csv"
    family.write_text(
        "task_id,team_id\n" + "".join(f"t{t:03d},team{p:03d}\n" for t in range(20) for p in range(9))
    )
    assert run(outcomes, routes, "--family", family) == 0
    shown = capsys.readouterr().out
    assert "and 26 more that cost as much or more (--json)" in shown
    assert shown.count("identify it") == 10
    assert "in 0 tiers" in shown
    assert len(re.findall(r"^-     p\d{3}    in \[0\.\d{4}, \d\.\d{4}\] ", shown, re.MULTILINE)) == 9


def test_what_to_run_next_skips_only_pairs_that_are_identified():
    values = np.random.default_rng(0).integers(0, 2, (12, 4)).astype(float)
    values[3, 1] = values[5, 2] = np.nan
    cells = grid_cells(values)
    routes = routes_of(cells, {f"p{a}": [a] * 12 for a in range(4)})
    found = {step.target: step.cells for step in for_contrasts(cells, routes)}
    for p in range(4):
        for q in range(p + 1, 4):
            step = for_contrast(cells, routes, f"p{p}", f"p{q}")
            assert found.get(step.target, ()) == step.cells
