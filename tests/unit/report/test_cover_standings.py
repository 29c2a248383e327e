"""Many routers: the page ranks them and draws their pairs; few are left as they are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from synthetic_study import ENDPOINTS, Design, write_study

from routeaudit.inference.multiplicity import holm
from routeaudit.report.charts import figure
from routeaudit.report.cover import board, comparisons, render_study, standings
from routeaudit.report.cover.pairs import Cell, triangle
from routeaudit.report.cover.study import Study, read_study
from routeaudit.tables import artifacts, write_table

pytestmark = pytest.mark.concurrent


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Study:
    root = tmp_path_factory.mktemp("many")
    return read_study(write_study(root, Design(more=6)), root / "seals")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Study:
    root = tmp_path_factory.mktemp("few")
    return read_study(write_study(root), root / "seals")


def _body(study: Study) -> str:
    (found,) = standings.section(study)
    return str(found.body)


def _lines(body: str) -> list[list[str]]:
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body.split("<tbody>")[1].split("</tbody>")[0], re.S)
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
        for row in rows
    ]


def test_few_routers_get_no_ranking(few: Study) -> None:
    assert standings.section(few) == []
    assert "Ranking of the routers" not in render_study(few.folder, few.folder.parents[1] / "seals")


def test_every_router_stands_in_the_ranking_by_its_value(many: Study) -> None:
    lines = _lines(_body(many))
    assert {line[1] for line in lines} == set(many.policies)
    values = [float(line[2]) for line in lines]
    assert values == sorted(values, reverse=True)
    cells = pq.read_table(many.folder / "regret.parquet").to_pandas()
    cells = cells[cells["endpoint"] == ENDPOINTS[0]].groupby("policy")["value"].mean()
    assert all(float(line[2]) == pytest.approx(cells[line[1]], abs=5e-4) for line in lines)


def test_the_separated_pairs_are_those_of_holm_over_all_pairs(many: Study) -> None:
    rows = standings.pairwise(many, many.stacks[0])
    adjusted = holm(np.array([row["p"] for row in rows], dtype=float))
    separated = [row for row, p in zip(rows, adjusted, strict=True) if p <= 0.05]
    assert separated
    body = _body(many)
    assert f"Of all {len(rows)} pairs of 12 routers" in body
    assert f"separates {len(separated)}." in body
    winners = [row["policy"] if row["estimate"] > 0 else row["reference"] for row in separated]
    assert {line[1]: int(line[7]) for line in _lines(body)} == {
        policy: winners.count(policy) for policy in many.policies
    }
    assert body.count('fill="#ffffff"') == len(separated)


def test_the_picture_names_every_pair_with_its_gain(many: Study) -> None:
    titles = re.findall(r"<title>(\S+) over (\S+): ([+-]\d\.\d+), (?:not )?separated</title>", _body(many))
    assert len({frozenset(pair[:2]) for pair in titles}) == len(standings.pairwise(many, many.stacks[0]))
    assert all(float(gain) >= 0 for _, _, gain in titles)


def test_the_page_says_that_the_ranking_was_not_declared_and_where_every_pair_is(many: Study) -> None:
    body = _body(many)
    assert "were not declared" in body
    assert "results/demo/contrasts.parquet" in body
    assert "routers of different tiers are always separated" in body


def test_a_page_of_many_routers_is_a_function_of_its_artifacts(many: Study) -> None:
    seals = many.folder.parents[1] / "seals"
    assert render_study(many.folder, seals) == render_study(many.folder, seals)


def test_many_declared_comparisons_are_counted_and_folded(many: Study) -> None:
    primary = [row for row in many.contrasts if row["family"] == "primary"]
    plain = comparisons.section(replace(many, contrasts=primary)).body
    assert "declared comparisons</summary>" not in plain
    copies = [row | {"contrast": f"{row['contrast']}{n}"} for n in range(15) for row in primary]
    body = comparisons.section(replace(many, contrasts=copies)).body
    assert "<summary>All 30 declared comparisons</summary>" in body
    held = sum(bool(row["reject"]) for row in copies)
    assert f"Holm rejects {held} of 30 primary tests" in body


def test_a_large_triangle_has_no_names_and_joins_equal_neighbours() -> None:
    names = [f"router {n}" for n in range(61)]
    cells = [Cell(i, j, float(j >= 30 > i), j >= 30 > i) for i in range(61) for j in range(i + 1, 61)]
    drawn = figure(triangle(names, cells), "pairs")
    assert "router 7" not in drawn
    assert drawn.count("<path") < len(cells) / 4
    small = figure(triangle(names[:60], [cell for cell in cells if cell.column < 60]), "pairs")
    assert "router 7" in small


# --- what a reader must know first -------------------------------------------------------------------------


def test_a_study_without_a_fault_has_no_caution(many: Study) -> None:
    assert board.cautions(many) == []


def test_routers_that_chose_alike_are_named_before_any_number(tmp_path: Path) -> None:
    folder = write_study(tmp_path, Design())
    routes = pq.read_table(folder / "routes.parquet").to_pylist()
    chosen = {row["task_id"]: row["team_id"] for row in routes if row["policy"] == "bm25"}
    rows = [row | {"team_id": chosen[row["task_id"]]} if row["policy"] == "random" else row for row in routes]
    write_table(folder / "routes.parquet", artifacts.FROZEN_ROUTES.from_rows(rows), artifacts.FROZEN_ROUTES)
    page = render_study(folder, tmp_path / "seals")
    sentence = "Policies that chose the same team on every task: "
    assert re.search(f"{sentence}(bm25 = random|random = bm25);", page)
    assert page.index(sentence) < page.index('id="regret"')
