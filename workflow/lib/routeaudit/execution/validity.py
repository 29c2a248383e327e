"""Telling a model's failure from an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from routeaudit.execution.requests import Completion, Request

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def checked(request: Request, completion: Completion) -> Completion:
    """The completion with status ``invalid_run`` where the model did not do what was asked.

    An empty answer, and one that does not meet the request's schema (cut off, or not JSON), are model
    failures: they are final and score 0.
    """
    if completion.status != "ok":
        return completion
    fault = _fault(request, completion.text)
    return completion if fault is None else replace(completion, status="invalid_run", detail=fault)


def _fault(request: Request, text: str) -> str | None:
    if not text.strip():
        return "empty answer"
    if request.schema is None:
        return None
    try:
        answer = json.loads(text)
    except ValueError:
        return "not valid JSON"
    error = next(iter(_validator(request.schema).iter_errors(answer)), None)
    return None if error is None else f"does not meet the schema: {error.message}"


@lru_cache(maxsize=1024)
def _validator(schema: str) -> Draft202012Validator:
    # Planning and grading read this module's names without ever checking an answer.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))
