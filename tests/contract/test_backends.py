"""One contract for all backends: what the layers above may rely on, whoever answers.

vLLM takes part where it is installed and ROUTEAUDIT_VLLM_MODEL names a folder with a chat model
(ROUTEAUDIT_VLLM_DEVICES: CUDA devices to use, 0 for a CPU build).
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from routeaudit.config.models import (
    LlamaCppModel,
    ModelConfig,
    OpenAIModel,
    ReplayModel,
    ScriptedModel,
    VllmModel,
)
from routeaudit.execution import (
    Completion,
    Decoding,
    Execution,
    Journal,
    Message,
    Request,
    completions_digest,
    execute,
    schema_text,
)
from routeaudit.execution.backends import open_backend
from routeaudit.execution.backends.llamacpp import locate_weights, start_server

pytestmark = pytest.mark.concurrent

EMBEDDED = LlamaCppModel(threads=1, context_tokens=1024)
SHOTS = (
    Message("user", "Mira was born in Gorlan. Where was she born?"),
    Message("assistant", "Gorlan"),
    Message("user", "Hesta was born in Lomar. Where was she born?"),
    Message("assistant", "Lomar"),
)
QUESTION = (*SHOTS, Message("user", "Ivor was born in Dovin. Where was he born?"))
SCHEMA = {
    "type": "object",
    "properties": {"place": {"enum": ["Dovin", "Arlen"]}, "sure": {"type": "boolean"}},
    "required": ["place", "sure"],
}
PLAIN = Request(QUESTION, Decoding(6), n_prefix=4)
SHORT = Request(QUESTION, Decoding(2), n_prefix=4, replicate=1)
STOPPED = Request((*SHOTS, Message("user", "Say: one two three")), Decoding(8, stop=("two",)), n_prefix=4)
STRUCTURED = Request(QUESTION, Decoding(32), n_prefix=4, schema=schema_text(SCHEMA))
WEIGHED = Request(QUESTION, Decoding(3), n_prefix=4, logprobs=2)
REQUESTS = (PLAIN, SHORT, STOPPED, STRUCTURED, WEIGHED)


@dataclass(frozen=True)
class Answered:
    """One backend's answers to `REQUESTS`, from two runs over one journal and one over another."""

    model: ModelConfig
    folder: Path
    first: Execution
    resumed: Execution
    again: Execution

    def __getitem__(self, request: Request) -> Completion:
        with open_backend(self.model, self.folder) as backend:
            return self.first.completions[request.key(backend.identity)]


def _scripted(stack: ExitStack, folder: Path) -> ModelConfig:
    rule = "contract.contract_rules:obedient"
    return ScriptedModel(backend="scripted", rule=rule)


def _replay(stack: ExitStack, folder: Path) -> ModelConfig:
    _run(_scripted(stack, folder), folder, "recorded")
    return ReplayModel(backend="replay", model="scripted")


def _llamacpp(stack: ExitStack, folder: Path) -> ModelConfig:
    return EMBEDDED


def _openai(stack: ExitStack, folder: Path) -> ModelConfig:
    server = start_server(EMBEDDED, locate_weights(EMBEDDED))
    stack.callback(lambda: server)
    return OpenAIModel(
        backend="openai",
        model="any",
        base_url=f"{server.listening_address}/v1",
        engine="llama.cpp server",
        concurrency=2,
    )


def _vllm(stack: ExitStack, folder: Path) -> ModelConfig:
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed here (make test-vllm has its own environment)")
    if "ROUTEAUDIT_VLLM_MODEL" not in os.environ:
        pytest.skip("ROUTEAUDIT_VLLM_MODEL names no folder with a chat model")
    devices = int(os.environ.get("ROUTEAUDIT_VLLM_DEVICES", "0"))
    return VllmModel(
        backend="vllm",
        model=os.environ["ROUTEAUDIT_VLLM_MODEL"],
        name="contract",
        dtype="float32" if devices == 0 else "auto",
        devices=devices,
        # A share of the whole machine's memory, which on a CPU others use too.
        gpu_memory_utilization=0.25 if devices == 0 else 0.9,
        context_tokens=1024,
        enforce_eager=True,
    )


BACKENDS = {
    "scripted": _scripted,
    "replay": _replay,
    "llamacpp": _llamacpp,
    "openai": _openai,
    "vllm": _vllm,
}
MODELS = {"llamacpp", "openai", "vllm"}


def _run(model: ModelConfig, folder: Path, name: str) -> Execution:
    with open_backend(model, folder) as backend, Journal.open(folder, name) as journal:
        return execute(REQUESTS, backend, journal)


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.llm) if name in MODELS else name for name in BACKENDS],
)
def answered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answered]:
    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as stack:
        model = BACKENDS[request.param](stack, folder)
        with open_backend(model, folder) as backend:
            with Journal.open(folder, "first") as journal:
                first = execute(REQUESTS, backend, journal)
                resumed = execute(REQUESTS, backend, journal)
            elsewhere = folder if request.param == "replay" else folder / "again"
            with Journal.open(elsewhere, "again") as journal:
                again = execute(REQUESTS[::-1], backend, journal)
            backend.close()
            backend.close()
        yield Answered(model, folder, first, resumed, again)


def test_every_request_is_answered_with_words_and_token_counts(answered: Answered) -> None:
    assert answered.first.counts.ok == len(REQUESTS)
    for request in REQUESTS:
        answer = answered[request]
        assert answer.text.strip()
        assert answer.usage.prompt_tokens >= 15
        assert 1 <= answer.usage.completion_tokens <= request.decoding.max_tokens


def test_a_second_run_over_the_journal_sends_nothing(answered: Answered) -> None:
    assert answered.resumed.counts.sent == 0
    assert answered.resumed.completions == answered.first.completions


def test_another_run_in_another_order_says_the_same(answered: Answered) -> None:
    assert completions_digest(answered.again.completions) == completions_digest(answered.first.completions)


def test_an_answer_that_reaches_its_length_says_so(answered: Answered) -> None:
    answer = answered[SHORT]
    assert (answer.finish_reason == "length") == (answer.usage.completion_tokens == 2)


def test_an_answer_ends_before_a_stop_text(answered: Answered) -> None:
    assert "two" not in answered[STOPPED].text


def test_a_structured_answer_meets_its_schema(answered: Answered) -> None:
    answer = json.loads(answered[STRUCTURED].text)
    Draft202012Validator(SCHEMA).validate(answer)


def test_log_probabilities_come_where_asked_for_and_only_there(answered: Answered) -> None:
    assert answered[PLAIN].logprobs is None
    tokens = answered[WEIGHED].logprobs
    assert tokens is not None
    assert len(tokens) == answered[WEIGHED].usage.completion_tokens
    for token in tokens:
        assert token.logprob <= 0
        assert len(token.top) >= 2
        assert token.logprob == max(value for _, value in token.top)
