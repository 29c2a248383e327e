"""Any server that speaks the OpenAI chat protocol."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from routeaudit.config.models import OpenAIModel
from routeaudit.errors import InputError
from routeaudit.execution.backends.base import BudgetSpent, ClosingBackend
from routeaudit.execution.backends.chat import chat_body, chat_completion
from routeaudit.execution.estimate import token_load
from routeaudit.execution.requests import Completion, Identity, Request

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_Answered = tuple[Request, Completion]
_TOO_LONG = ("context length", "context size", "context window", "maximum context", "too long")


class OpenAIBackend(ClosingBackend):
    """Asks up to `concurrency` requests at once and yields each as it ends.

    The client library retries timeouts, refused connections and the statuses 408, 409, 429 and 5xx with
    growing pauses, and waits as long as a Retry-After header says.
    """

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model
        self.identity = openai_identity(model)
        self._spent = 0

    def generate(self, requests: Sequence[Request]) -> Iterator[_Answered]:
        """Answer concurrently.

        Raises
        ------
        BudgetSpent : the token budget does not reach for the next request; those under way were finished
        InputError : the server refuses the key, the model's name or the form of a request
        """
        with asyncio.Runner() as runner:
            answers = self._answers(requests)
            try:
                while (answered := runner.run(_next(answers))) is not None:
                    yield answered
            finally:
                runner.run(answers.aclose())

    async def _answers(self, requests: Sequence[Request]) -> AsyncGenerator[_Answered, None]:
        waiting = list(reversed(requests))
        under_way: dict[asyncio.Task[Completion], Request] = {}
        client = _client(self._model)
        try:
            while waiting or under_way:
                self._send(client, waiting, under_way)
                if not under_way:
                    raise self._budget_spent(len(waiting))
                ended, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    yield under_way.pop(task), self._paid(task.result())
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await client.close()

    def _send(
        self,
        client: AsyncOpenAI,
        waiting: list[Request],
        under_way: dict[asyncio.Task[Completion], Request],
    ) -> None:
        while (
            waiting
            and len(under_way) < self._model.concurrency
            and self._affordable((waiting[-1], *under_way.values()))
        ):
            request = waiting.pop()
            under_way[asyncio.create_task(self._ask(client, request))] = request

    async def _ask(self, client: AsyncOpenAI, request: Request) -> Completion:
        import openai

        began = time.perf_counter()
        try:
            answer = await client.chat.completions.create(model=self._model.model, **chat_body(request))
        except openai.APIConnectionError as error:
            return Completion.missing(f"{self._model.base_url}: {error}")
        except openai.APIStatusError as error:
            return self._refused(error)
        return chat_completion(answer.model_dump(), time.perf_counter() - began)

    def _refused(self, error: APIStatusError) -> Completion:
        if error.status_code in {408, 409, 429} or error.status_code >= 500:
            return Completion.missing(f"{self._model.base_url}: {error.message}")
        if any(words in error.message.lower() for words in _TOO_LONG):
            return Completion("", "error", "invalid_run", detail=error.message)
        raise InputError(
            self._model.base_url,
            f"a server that takes our requests for model {self._model.model!r}",
            f"status {error.status_code}: {error.message}",
            f"check model.model, model.base_url and the key in ${self._model.key_env}",
        )

    def _affordable(self, requests: Iterable[Request]) -> bool:
        budget = self._model.token_budget
        return budget is None or self._spent + token_load(requests).total <= budget

    def _paid(self, completion: Completion) -> Completion:
        self._spent += completion.usage.prompt_tokens + completion.usage.completion_tokens
        return completion

    def _budget_spent(self, left: int) -> BudgetSpent:
        return BudgetSpent(
            "model.token_budget",
            f"enough tokens for {left} more requests",
            f"{self._spent} of {self._model.token_budget} tokens spent",
            "raise the budget and rerun; every finished request is kept",
        )


async def _next(answers: AsyncGenerator[_Answered, None]) -> _Answered | None:
    return await anext(answers, None)


def _client(model: OpenAIModel) -> AsyncOpenAI:
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        base_url=model.base_url,
        api_key=os.environ.get(model.key_env, "none"),
        timeout=model.timeout_s,
        max_retries=model.retries,
    )


def openai_identity(model: OpenAIModel) -> Identity:
    """What determines the answers, as far as the configuration declares it."""
    weights = model.weights_sha256 or ""
    return Identity("openai", model.model, model.revision, weights, model.engine, model.precision)
