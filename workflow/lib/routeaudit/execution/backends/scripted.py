"""Answers from a declared rule, with planted noise: simulations with a known truth."""

from __future__ import annotations

import importlib
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence

from routeaudit.config.models import ScriptedModel
from routeaudit.errors import InputError
from routeaudit.execution.backends.base import ClosingBackend, InfrastructureError
from routeaudit.execution.requests import Completion, Identity, Request, TokenLogprob, Usage

Rule = Callable[..., str]


class ScriptedBackend(ClosingBackend):
    """Answers by a rule or a table of answers; the noise of a request depends on its key alone."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model
        self._rule = _table_rule(model) if model.answers else _load_rule(model.rule)
        self.identity = scripted_identity(model)

    def generate(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Completion]]:
        """Answer one after the other; `InfrastructureError` from the rule makes that one ``missing``."""
        for request in requests:
            time.sleep(self._model.delay_s)
            try:
                yield request, self._answer(request)
            except InfrastructureError as error:
                yield request, Completion.missing(str(error))

    def _answer(self, request: Request) -> Completion:
        noise = random.Random(request.key(self.identity))
        noisy = noise.random() < self._model.noise
        text = self._model.noise_text if noisy else self._rule(request, noise, **self._model.parameters)
        words = text.split()
        read = sum(len(message.content.split()) for message in request.messages)
        cut = len(words) >= request.decoding.max_tokens
        return Completion(
            text,
            "length" if cut else "stop",
            usage=Usage(read, len(words)),
            logprobs=None if request.logprobs is None else _certain(words, request.logprobs),
            seconds=self._model.delay_s,
        )


def _certain(words: list[str], alternatives: int) -> tuple[TokenLogprob, ...]:
    """Each word with probability 1, beside alternatives that have none worth naming."""
    others = [("", -100.0)] * (alternatives - 1)
    return tuple(TokenLogprob(word, 0.0, tuple([(word, 0.0), *others][:alternatives])) for word in words)


def scripted_identity(model: ScriptedModel) -> Identity:
    """What determines a scripted answer: the rule's name and all its settings except the delay."""
    settings = {
        "rule": "" if model.answers else model.rule,
        "answers": json.dumps(model.answers),
        "parameters": json.dumps(model.parameters, sort_keys=True),
        "seed": str(model.seed),
        "noise": repr(model.noise),
        "noise_text": model.noise_text,
    }
    return Identity(
        "scripted", model.name, "", "", "routeaudit scripted 1", "text", 0, tuple(sorted(settings.items()))
    )


def _table_rule(model: ScriptedModel) -> Rule:
    def answer(request: Request, noise: random.Random) -> str:
        asked = request.messages[-1].content
        return next((text for part, text in model.answers.items() if part in asked), "")

    return answer


def _load_rule(name: str) -> Rule:
    module, _, function = name.partition(":")
    try:
        rule: Rule = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            "model.rule", "module:function that can be imported", f"{name!r} ({error})", "check the spelling"
        ) from None
    return rule
