"""The embedded engine: its texts do not depend on what was asked before, and only the declared file runs."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from routeaudit.config.models import LlamaCppModel
from routeaudit.errors import InputError
from routeaudit.execution import Completion, Decoding, Message, Request, TokenLogprob
from routeaudit.execution.backends import primed
from routeaudit.execution.backends.base import InfrastructureError
from routeaudit.execution.backends.llamacpp import LlamaCppBackend, llamacpp_identity, locate_weights

pytestmark = pytest.mark.concurrent

ONE_THREAD = LlamaCppModel(threads=1, context_tokens=1024)
PLACES = ("Arlen", "Bedo", "Carmi", "Dovin")


def _shots(relation: str) -> tuple[Message, ...]:
    return (
        Message("user", f"Mira {relation} Gorlan, a town known for its long bridge. Where?"),
        Message("assistant", "Gorlan"),
        Message("user", f"Hesta {relation} Lomar, a town known for its old library. Where?"),
        Message("assistant", "Lomar"),
    )


def _requests() -> list[Request]:
    born = [f"Ivor was born in {place}, where his father kept a shop. Where?" for place in PLACES[:3]]
    works = [f"Kesta works in {place} and sings. Where?" for place in PLACES[2:]]
    system = (Message("system", "Answer with one word."), Message("user", "Where is the sea?"))
    plain = (Message("user", born[0]),)
    return [
        *(_ask((*_shots("was born in"), Message("user", text)), 4) for text in born),
        *(_ask((*_shots("works in"), Message("user", text)), 4) for text in works),
        _ask((*_shots("works in"), *system), 4),
        _ask(system, 0),
        _ask(plain, 0),
    ]


def _ask(messages: tuple[Message, ...], n_prefix: int) -> Request:
    return Request(messages, Decoding(3), n_prefix, logprobs=0)


Said = tuple[str, tuple[TokenLogprob, ...] | None, int]


def _said(answers: Iterable[tuple[Request, Completion]]) -> dict[Request, Said]:
    """Log probabilities show the least rounding; the cached tokens, from which state a request started."""
    return {
        request: (answer.text, answer.logprobs, answer.usage.cached_tokens) for request, answer in answers
    }


@pytest.fixture(scope="module")
def engine() -> Iterator[LlamaCppBackend]:
    with LlamaCppBackend(ONE_THREAD) as backend:
        # It starts with its first request, and its files belong to no test that has folders of its own.
        list(backend.generate(_requests()[:1]))
        yield backend


@pytest.mark.llm
def test_answers_do_not_depend_on_the_order_of_requests(engine: LlamaCppBackend) -> None:
    requests = _requests()
    forward = _said(engine.generate(requests))
    assert all(text for text, *_ in forward.values())
    assert _said(engine.generate(requests[::-1])) == forward
    shuffled = random.Random(5).sample(requests, len(requests))
    assert _said(engine.generate(shuffled)) == forward


@pytest.mark.llm
def test_a_resumed_run_in_a_new_engine_answers_like_one_that_was_not_killed(engine: LlamaCppBackend) -> None:
    rest = _requests()[2:4]
    with LlamaCppBackend(ONE_THREAD) as resumed:
        assert _said(resumed.generate(rest)) == _said(engine.generate(rest))


@pytest.mark.llm
def test_states_beyond_those_kept_are_made_anew_and_none_stays_behind(
    engine: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(primed, "_KEPT", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    born, works = _requests()[0], _requests()[3]
    with LlamaCppBackend(ONE_THREAD) as forgetful:
        alternating = [_said(forgetful.generate([one]))[one] for one in (born, works, born)]
        assert len(list(tmp_path.rglob("*.state"))) == 1
    expected = _said(engine.generate([born, works]))
    assert alternating == [expected[born], expected[works], expected[born]]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.llm
def test_a_state_that_is_gone_is_told_with_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    one = _requests()[0]
    with LlamaCppBackend(ONE_THREAD) as robbed:
        list(robbed.generate([one]))
        for state in tmp_path.rglob("*.state"):
            state.unlink()
        with pytest.raises(InfrastructureError, match=rf"restore a prompt's state in {tmp_path}"):
            list(robbed.generate([one]))


@pytest.mark.llm
def test_a_prompt_longer_than_the_context_is_the_models_failure(engine: LlamaCppBackend) -> None:
    ((_, answer),) = engine.generate([Request((Message("user", "word " * 3000),), Decoding(3))])
    assert answer.status == "invalid_run"
    assert "context" in answer.detail


@pytest.mark.llm
def test_a_schema_that_the_engine_cannot_use_is_told(engine: LlamaCppBackend) -> None:
    bogus = Request((Message("user", "hi"),), Decoding(3), schema='{"type":"bogus"}')
    with pytest.raises(InputError, match="schema"):
        list(engine.generate([bogus]))


def test_another_file_than_the_declared_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"other")
    with pytest.raises(InputError, match="sha256") as caught:
        LlamaCppBackend(LlamaCppModel(package=None, file=str(tmp_path / "model.gguf")))
    assert caught.value.expected == f"sha256 {LlamaCppModel().sha256}"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.gguf"):
        locate_weights(LlamaCppModel(package=None, file=str(tmp_path / "absent.gguf")))


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(InputError, match="no_such_package"):
        locate_weights(LlamaCppModel(package="no_such_package"))


def test_the_number_of_threads_and_the_template_belong_to_the_identity() -> None:
    plain = llamacpp_identity(LlamaCppModel())
    assert llamacpp_identity(LlamaCppModel(threads=1)) != plain
    assert llamacpp_identity(LlamaCppModel(chat_template="{{ messages }}")) != plain
