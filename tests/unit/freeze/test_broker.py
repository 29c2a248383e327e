"""A confined router asks the pipeline for model answers; it has no network of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from routeaudit.config.models import ScriptedModel
from routeaudit.config.routers import ZeroShotLlm
from routeaudit.cover.freeze import Confinement, FrozenRoutes, freeze
from routeaudit.cover.freeze.broker import ModelBroker
from routeaudit.cover.routers import Corpus, View
from routeaudit.cover.routers.zero_shot import Question, ZeroShotRouter
from routeaudit.errors import InputError
from unit.routers.invented import invent
from unit.routers.tasks import task

pytestmark = pytest.mark.concurrent

CARDS = {"w1": "weavers", "w2": "harbours"}
TASKS = [task(f"t{n}", "Who?", CARDS, [("w1",), ("w2",), ("w1", "w2")]) for n in range(4)]


def frozen(folder: Path, model: ScriptedModel) -> FrozenRoutes:
    study = invent(folder / "study", n_tasks=12)
    broker = ModelBroker(model, folder / "journal", "test")
    return freeze(
        {"llm": ZeroShotLlm(model=model)},
        study.public,
        study.training,
        study.assignment,
        Confinement(),
        {"llm": broker},
    )["llm"]


def test_a_confined_router_gets_its_answers_through_the_broker_and_the_journal(tmp_path: Path) -> None:
    model = ScriptedModel(backend="scripted")  # answers the first value that the schema allows
    made = frozen(tmp_path, model)
    assert set(made.table["team_id"].to_pylist()) == {"g01"}
    assert made.header["fits"][0]["n_fallback"] == 0
    assert made.header["information_set"] == "public"
    journal = (tmp_path / "journal" / "test.jsonl").read_text()
    assert len(journal.splitlines()) >= 6


def test_invalid_answers_are_counted_and_replaced_by_a_seeded_draw(tmp_path: Path) -> None:
    made = frozen(tmp_path, ScriptedModel(backend="scripted", answers={"Question": "no ranking"}))
    assert made.header["fits"][0]["n_fallback"] == 6
    assert len(set(made.table["team_id"].to_pylist())) > 1


def test_a_model_router_without_a_model_is_refused(tmp_path: Path) -> None:
    study = invent(tmp_path / "study", n_tasks=4)
    with pytest.raises(InputError, match="a model to ask"):
        freeze({"llm": ZeroShotLlm()}, study.public, study.training, study.assignment, Confinement())


def test_the_prompt_shows_public_text_and_the_schema_allows_legal_teams_only() -> None:
    asked: list[Question] = []

    def answer(questions: list[Question]) -> list[str | None]:
        asked.extend(questions)
        return ['{"ranking": ["g02", "g01"]}', '{"ranking": ["g99"]}', "not JSON", None]

    router = ZeroShotRouter(answer, "Rank.", ranked=2, max_tokens=9)
    routes = router.route({"seed": 1}, View(TASKS, Corpus(TASKS)))
    assert (routes[0].team_id, routes[0].fallback) == ("g02", False)
    assert [route.fallback for route in routes[1:]] == [True, True, True]
    ranking = asked[0].schema["properties"]["ranking"]
    assert (ranking["items"]["enum"], ranking["minItems"]) == (["g01", "g02", "g03"], 2)
    assert asked[0].prompt == (
        "Question: Who?\n\nWorkers:\nw1: weavers\nw2: harbours\n\nTeams:\ng01: w1\ng02: w2\ng03: w1, w2"
    )
