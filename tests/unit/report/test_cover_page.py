"""The page of a study says what its tables say, and nothing that its coverage does not allow."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from synthetic_study import ENDPOINTS, POLICIES, Design, write_study

from routeaudit.errors import InputError
from routeaudit.report.cover import render_study
from routeaudit.report.tables import number
from routeaudit.tables import artifacts, read_table, write_table

pytestmark = pytest.mark.concurrent

ATTACK = "Who </title><script>alert(1)</script> {{ 7 * 7 }} owns {task}?"


class Written:
    """A synthetic study and its page."""

    def __init__(self, root: Path, design: Design) -> None:
        self.folder = write_study(root, design)
        self.seals = root / "seals"
        self.page = render_study(self.folder, self.seals)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(
        tmp_path_factory.mktemp("complete"),
        Design(question=ATTACK.replace("{{", "{{{{").replace("}}", "}}}}")),
    )


@pytest.fixture(scope="module")
def union(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("union"), Design(name="union", regime="route_union"))


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("partial"), Design(name="partial", missing=2, mixed_costs=True))


def _rows(page: str, caption: str) -> list[list[str]]:
    """Cell texts of the table whose caption begins so."""
    table = next(t for t in page.split("<figure")[1:] if f"<figcaption>{caption}" in t)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table.split("<tbody>")[1], re.S)
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
        for row in rows
    ]


def _outcomes(folder: Path) -> pd.DataFrame:
    return pq.read_table(folder / "heldout" / "outcomes.parquet").to_pandas()


def _regret_by_hand(folder: Path, policy: str) -> tuple[float, float]:
    cells = _outcomes(folder)
    cells = cells[cells["endpoint"] == ENDPOINTS[0]].set_index(["task_id", "team_id"])["value"]
    routes = pq.read_table(folder / "routes.parquet").to_pandas()
    chosen = routes[routes["policy"] == policy]
    values = [cells[task, team] for task, team in zip(chosen["task_id"], chosen["team_id"], strict=True)]
    best = [cells[task].max() for task in chosen["task_id"]]
    return sum(values) / len(values), sum(b - v for b, v in zip(best, values, strict=True)) / len(values)


@pytest.mark.parametrize("policy", POLICIES)
def test_value_and_regret_of_each_router_are_those_of_the_outcome_table(
    complete: Written, policy: str
) -> None:
    rows = {row[0]: row for row in _rows(complete.page, "Regret and value of every router")}
    value, regret = _regret_by_hand(complete.folder, policy)
    assert rows[policy][2:4] == [number(value), number(regret)]


def test_route_union_page_never_says_oracle(union: Written, complete: Written) -> None:
    assert "oracle" not in union.page.lower()
    assert "oracle" in complete.page.lower()


def test_route_union_page_gives_union_regret_and_what_the_union_saved(union: Written) -> None:
    assert "best of the route union" in union.page
    assert "union regret" in union.page
    routes = pq.read_table(union.folder / "routes.parquet").to_pandas()
    cells = routes.drop_duplicates(["task_id", "team_id"]).shape[0]
    assert f"the union of the frozen routes has {cells}," in union.page


def test_page_needs_no_network_and_runs_no_script(complete: Written) -> None:
    assert "<script" not in complete.page.lower()
    assert not re.search(r'(?:src|href)="(?!#)', complete.page)
    assert not re.search(r"url\((?!#)", complete.page)


def test_question_of_a_task_is_text_whatever_it_says(complete: Written) -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 * 7 }}" in complete.page


def test_every_named_source_is_a_file_of_the_study(complete: Written) -> None:
    named = set(re.findall(r"from <code>([^<]+)</code>", complete.page))
    assert {"results/demo/scores.parquet", "results/demo/contrasts.parquet"} <= named
    assert all((complete.folder.parents[1] / path).is_file() for path in named)


def test_tables_without_a_source_are_those_of_records_and_the_ledger(complete: Written) -> None:
    tables = complete.page.split('<figure class="table">')[1:]
    bare = [
        re.sub(r"<.*", "", t.split("<figcaption>")[1])
        for t in tables
        if "from <code>" not in t.split("</figure>")[0]
    ]
    assert {caption[:20] for caption in bare} == {
        "Ledger: append-only ",
        "Time spent on models",
        "Artifacts and their ",
        "Near-duplicates acro",
    }


def test_page_is_a_function_of_its_artifacts(complete: Written) -> None:
    assert render_study(complete.folder, complete.seals) == complete.page


def test_missing_cells_give_bounds_and_no_estimate(partial: Written) -> None:
    rows = {row[0]: row for row in _rows(partial.page, "Regret and value of every router")}
    assert all(re.fullmatch(r"0\.\d{3} to \d\.\d{3}", rows[policy][3]) for policy in POLICIES)
    assert "Missing cells leave every regret unidentified" in partial.page
    assert "Missing held-out cells:" in partial.page


def test_secondary_contrasts_carry_no_adjusted_p(complete: Written) -> None:
    rows = {row[0]: row for row in _rows(complete.page, "Declared comparisons; bold")}
    adjusted = {pair: row[-2] for pair, row in rows.items()}
    assert adjusted["bm25 over randombm25_vs_random"] == "unadjusted"
    assert sum(p == "unadjusted" for p in adjusted.values()) == 1


def test_pairwise_rows_are_no_declared_comparison(complete: Written) -> None:
    assert len(_rows(complete.page, "Declared comparisons; bold")) == 3


def test_denominators_that_do_not_close_are_refused(tmp_path: Path) -> None:
    folder = write_study(tmp_path, Design())
    path = folder / "heldout" / "outcomes.parquet"
    table = read_table(path, artifacts.OUTCOMES)
    write_table(path, table.slice(1), artifacts.OUTCOMES)
    with pytest.raises(InputError, match="planned = ok \\+ invalid \\+ missing = 96"):
        render_study(folder, tmp_path / "seals")


def test_requests_are_counted_cell_by_cell_and_once(complete: Written) -> None:
    rows = _rows(complete.page, "Requests planned and spent")
    heldout = {row[2]: row for row in rows if row[0] == "held-out"}
    assert heldout["worker"][3:5] == ["192", "96"]
    assert heldout["finalizer"][3:5] == ["96", "96"]
    assert rows[-1][0] == "all"
    assert rows[-1][3:5] == ["480", "320"]


def test_shortcut_attackers_stand_beside_the_routers(complete: Written) -> None:
    rows = {row[0]: row for row in _rows(complete.page, "Attackers and routers")}
    assert rows["shortcut_order"][-1] == "like chance"
    assert set(rows) == set(POLICIES) - {"random"}


def test_a_folder_that_is_no_study_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a study's results folder"):
        render_study(tmp_path, tmp_path)


def test_gold_team_is_lined_up_across_tasks(complete: Written) -> None:
    rows = {row[0]: row for row in _rows(complete.page, "Mean answer verified of each row")}
    assert list(rows) == [
        "gold team",
        "only the first required",
        "only the second required",
        "no required worker",
    ]
    cells, family = _outcomes(complete.folder), pq.read_table(complete.folder / "family.parquet").to_pandas()
    answers = pq.read_table(complete.folder / "private" / "answers.parquet").to_pandas().set_index("task_id")
    gold = family[
        [
            set(w) == set(answers["required_team"][t])
            for t, w in zip(family["task_id"], family["workers"], strict=True)
        ]
    ]
    mean = cells[cells["endpoint"] == ENDPOINTS[0]].merge(gold, on=["task_id", "team_id"])["value"].mean()
    assert rows["gold team"][1] == number(mean)
