"""The broker: answers routers' questions with a declared model, through the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from routeaudit.config.models import ModelConfig
from routeaudit.cover.questions import Question
from routeaudit.execution import Decoding, Journal, Message, Request, execute, progress_for, schema_text
from routeaudit.execution.backends import open_backend

_STAGE_VERSION = "router-1"


@dataclass(frozen=True)
class ModelBroker:
    """Answers by `model`; finished answers stay in the journal `journal_name` and are reused."""

    model: ModelConfig
    journal_folder: Path
    journal_name: str

    def __call__(self, questions: Sequence[Question]) -> list[str | None]:
        """One text per question; None where the model or its machine gave no valid one."""
        requests = [_request(question) for question in questions]
        folder = self.journal_folder
        with open_backend(self.model, folder) as backend, Journal.open(folder, self.journal_name) as journal:
            run = execute(requests, backend, journal, progress_for(self.journal_name))
            answers = [run.completions[request.key(backend.identity)] for request in requests]
        return [answer.text if answer.status == "ok" else None for answer in answers]


def _request(question: Question) -> Request:
    return Request(
        messages=(Message("system", question.instruction), Message("user", question.prompt)),
        decoding=Decoding(max_tokens=question.max_tokens),
        n_prefix=1,
        schema=schema_text(question.schema),
        stage_version=_STAGE_VERSION,
    )
