"""Scripted truth with planted noise, and replay without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from execution_samples import request

from routeaudit.config.models import ReplayModel, ScriptedModel
from routeaudit.errors import InputError
from routeaudit.execution import Journal, Request, execute
from routeaudit.execution.backends import open_backend
from routeaudit.execution.backends.base import InfrastructureError
from routeaudit.execution.backends.scripted import ScriptedBackend

pytestmark = pytest.mark.concurrent


def scripted(**changes: object) -> ScriptedModel:
    return ScriptedModel(**{"backend": "scripted", **changes})


def texts(model: ScriptedModel, requests: list[Request]) -> dict[Request, str]:
    return {one: answer.text for one, answer in ScriptedBackend(model).generate(requests)}


def fails_on_b(request: Request, noise: object) -> str:
    if request.messages[-1].content == "b":
        raise InfrastructureError("unplugged")
    return "fine"


def test_noise_replaces_about_the_declared_share_whatever_the_order() -> None:
    noisy = scripted(noise=0.25, noise_text="noise")
    requests = [request(f"word{number}") for number in range(400)]
    forward = texts(noisy, requests)
    assert texts(noisy, requests[::-1]) == forward
    share = list(forward.values()).count("noise") / 400
    assert 0.25 - 0.09 < share < 0.25 + 0.09  # four standard errors


def test_another_seed_plants_the_noise_elsewhere() -> None:
    requests = [request(f"word{number}") for number in range(100)]
    one, other = (list(texts(scripted(noise=0.5, seed=seed), requests).values()) for seed in (1, 2))
    assert one != other


def test_a_table_of_answers_takes_the_first_that_fits() -> None:
    model = scripted(answers={"capital of X": "Arlen", "capital": "Bedo"})
    said = texts(model, [request("the capital of X?"), request("the capital of Y?")])
    assert list(said.values()) == ["Arlen", "Bedo"]


def test_a_rule_may_fail_like_a_machine() -> None:
    model = scripted(rule="unit.execution.test_scripted_replay:fails_on_b")
    statuses = [answer.status for _, answer in ScriptedBackend(model).generate([request("a"), request("b")])]
    assert statuses == ["ok", "missing"]


@pytest.mark.parametrize("rule", ["nothing", "no.such.module:rule", "json:no_such_function"])
def test_a_rule_that_cannot_be_found_is_told(rule: str) -> None:
    with pytest.raises(InputError, match=r"module:function"):
        ScriptedBackend(scripted(rule=rule))


def test_the_delay_is_not_part_of_the_identity_but_the_rule_is() -> None:
    plain = ScriptedBackend(scripted()).identity
    assert ScriptedBackend(scripted(delay_s=1.0)).identity == plain
    assert ScriptedBackend(scripted(answers={"a": "b"})).identity != plain
    assert ScriptedBackend(scripted(seed=1)).identity != plain


def record(folder: Path, model: ScriptedModel, *words: str) -> None:
    with open_backend(model, folder) as backend, Journal.open(folder, "recorded") as journal:
        execute([request(word) for word in words], backend, journal)


def test_replay_says_what_was_said_and_a_miss_names_the_request(tmp_path: Path) -> None:
    record(tmp_path, scripted(), "a", "b")
    backend = open_backend(ReplayModel(backend="replay", model="scripted"), tmp_path)
    assert [answer.text for _, answer in backend.generate([request("b"), request("a")])] == ["b", "a"]
    missing = request("never asked")
    with pytest.raises(InputError, match="never asked") as caught:
        list(backend.generate([request("a"), missing]))
    assert missing.key(backend.identity) in caught.value.where


def test_replay_of_an_unknown_or_ambiguous_model_lists_what_is_recorded(tmp_path: Path) -> None:
    record(tmp_path, scripted(), "a")
    record(tmp_path, scripted(seed=1), "a")
    with pytest.raises(InputError, match=r"recorded are: scripted"):
        open_backend(ReplayModel(backend="replay", model="other"), tmp_path)
    with pytest.raises(InputError, match="2; recorded are"):
        open_backend(ReplayModel(backend="replay", model="scripted"), tmp_path)
    identity = ScriptedBackend(scripted(seed=1)).identity
    chosen = ReplayModel(backend="replay", model="scripted", identity=identity.digest[:10])
    assert open_backend(chosen, tmp_path).identity == identity
