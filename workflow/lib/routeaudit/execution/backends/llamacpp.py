"""A GGUF model in this process: llama.cpp through xllamacpp, on the CPU.

Every request starts from the same state: its shared prefix, computed from nothing and followed by a sentinel
(see `primed`).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from routeaudit.config.models import LlamaCppModel
from routeaudit.errors import InputError
from routeaudit.execution.backends.base import ClosingBackend, InfrastructureError
from routeaudit.execution.backends.chat import chat_body, chat_completion
from routeaudit.execution.backends.primed import PrimedStates
from routeaudit.execution.requests import Completion, Decoding, Identity, Message, Request
from routeaudit.tables import file_digest, text_digest

# Raised when the state that a request starts from changes: it enters the request key.
_PRIMING = "1"
# An empty turn, closed at once: no request begins like it, so each one keeps the prefix and nothing more.
_SENTINEL = Message("user", "")


class LlamaCppBackend(ClosingBackend):
    """One slot, a fixed number of threads, primed prefixes: texts do not depend on the order of requests."""

    def __init__(self, model: LlamaCppModel) -> None:
        self._model = model
        self._file = locate_weights(model)
        self.identity = llamacpp_identity(model)
        self._server: Any = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._states: PrimedStates | None = None

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Answer one after the other."""
        states = self._started()
        for request in requests:
            began = time.perf_counter()
            states.enter(request.prefix)
            answer = self._ask(chat_body(request))
            yield request, _completion(answer, time.perf_counter() - began)

    def close(self) -> None:
        """Stop the engine and remove the states that it kept."""
        self._server = self._states = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _started(self) -> PrimedStates:
        if self._states is None:
            self._folder = tempfile.TemporaryDirectory(prefix="routeaudit-")
            folder = Path(self._folder.name)
            self._server = start_server(self._model, self._file, folder)
            self._states = PrimedStates(self._server.listening_address, folder, self._prime)
        return self._states

    def _prime(self, prefix: tuple[Message, ...]) -> bool:
        body = chat_body(Request((*prefix, _SENTINEL), Decoding(max_tokens=1)))
        answer = self._ask({**body, "add_generation_prompt": False, "cache_prompt": False})
        return "error" not in answer

    def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._server.handle_chat_completions(body)
        except ValueError as error:
            raise InputError(
                "request", "messages and schema that llama.cpp accepts", str(error), "simplify the schema"
            ) from None
        except RuntimeError as error:
            raise InfrastructureError(f"llama.cpp: {error}") from error
        return answer


def locate_weights(model: LlamaCppModel) -> Path:
    """The model's file, found without importing the package that holds it, and held against its digest.

    Raises
    ------
    InputError : no such package or file, or another file than the declared one
    """
    path = _declared_path(model)
    if not path.is_file():
        raise InputError(str(path), "a GGUF file", "no such file", "correct model.file or model.package")
    found = file_digest(path)
    if found != model.sha256:
        raise InputError(
            str(path),
            f"sha256 {model.sha256}",
            f"sha256 {found}",
            "install the declared file, or declare this one",
        )
    return path


def _declared_path(model: LlamaCppModel) -> Path:
    if model.package is None:
        return Path(model.file).expanduser()
    spec = importlib.util.find_spec(model.package)
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise InputError(
            "model.package", f"an installed package {model.package}", "none", "make the environment again"
        )
    return Path(folders[0]) / model.file


def llamacpp_identity(model: LlamaCppModel) -> Identity:
    """What determines this model's answers."""
    settings = {"context_tokens": str(model.context_tokens), "priming": _PRIMING}
    if model.chat_template is not None:
        settings["chat_template"] = text_digest(model.chat_template)
    engine = f"xllamacpp {importlib.metadata.version('xllamacpp')}"
    return Identity(
        "llamacpp",
        model.name,
        model.revision,
        model.sha256,
        engine,
        model.precision,
        model.threads,
        tuple(sorted(settings.items())),
    )


def start_server(model: LlamaCppModel, path: Path, states: Path | None = None) -> Any:
    """A running llama.cpp server object: one slot, loopback only, states kept in a folder."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel = 1
    params.n_ctx = model.context_tokens
    params.fit_params = False
    params.cache_ram_mib = 0
    params.n_gpu_layers = 0
    params.verbosity = -1
    if states is not None:
        params.slot_save_path = f"{states}/"
    params.cpuparams.n_threads = model.threads
    params.cpuparams_batch.n_threads = model.threads
    if model.chat_template is not None:
        params.chat_template = model.chat_template
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise InfrastructureError(f"llama.cpp did not start: {error}") from error


def _completion(answer: dict[str, Any], seconds: float) -> Completion:
    if "error" not in answer:
        return chat_completion(answer, seconds)
    error = answer["error"]
    detail = f"llama.cpp: {error.get('message', error)}"
    if int(error.get("code", 500)) < 500:
        return Completion("", "error", "invalid_run", seconds=seconds, detail=detail)
    return Completion.missing(detail)
