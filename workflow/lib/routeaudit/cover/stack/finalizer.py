"""The finalizer: requests from the selected workers' messages, and answers from completions.

It reads the question and the messages in canonical order (by the place in the team that a worker fills,
then by worker id), nothing of the router, of the team's id or of workers that were not selected. Teams
whose messages say the same therefore share one request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from routeaudit.config.stack import STAGE_VERSION, FinalizerConfig, StackConfig
from routeaudit.cover.stack.conversation import few_shot
from routeaudit.cover.stack.keys import CellKey, MessageKey
from routeaudit.cover.stack.spans import spans
from routeaudit.execution import Completion, Decoding, Identity, Message, Request, schema_text
from routeaudit.tables.artifacts import FINALS, STATUS_MISSING, STATUS_OK

Row = Mapping[str, object]


def finalizer_requests(
    plan: pa.Table, tasks: pa.Table, messages: pa.Table, stack: StackConfig
) -> dict[CellKey, Request]:
    """One request for every planned cell and replicate whose messages are all there.

    Parameters
    ----------
    plan, tasks, messages : PLAN, PUBLIC_TASKS and MESSAGES of one stack

    A cell that lacks a message, because the infrastructure failed, has no request: it is graded missing.
    An invalid message stays in, as an empty one, for the other workers' messages may suffice.
    """
    question = dict(zip(tasks["task_id"].to_pylist(), tasks["question"].to_pylist(), strict=True))
    said = _messages(messages)
    requests = {}
    for cell in plan.to_pylist():
        for replicate in range(stack.replicates):
            keys = [MessageKey(cell["task_id"], worker, replicate) for worker in cell["workers"]]
            if all(key in said for key in keys):
                texts = [said[key].text for key in sorted(keys, key=lambda key: (said[key].slot, key))]
                request = finalizer_request(question[cell["task_id"]], texts, stack, replicate)
                requests[CellKey(cell["task_id"], cell["team_id"], replicate)] = request
    return requests


class _Said(NamedTuple):
    slot: int
    text: str


def _messages(messages: pa.Table) -> dict[MessageKey, _Said]:
    """What each worker said; an invalid message says nothing and a missing one is left out."""
    return {
        MessageKey(row["task_id"], row["worker_id"], row["replicate"]): _Said(
            row["slot"], row["text"] if row["status"] == STATUS_OK else ""
        )
        for row in messages.to_pylist()
        if row["status"] != STATUS_MISSING
    }


def finalizer_request(
    question: str, messages: Sequence[str], stack: StackConfig, replicate: int = 0
) -> Request:
    """What the finalizer is asked about these messages, in the order given."""
    finalizer = stack.finalizer
    prefix = few_shot(finalizer.instruction, _examples(finalizer))
    choices = spans(messages, question) if finalizer.answer == "span" else []
    return Request(
        messages=(*prefix, Message("user", _asked(question, messages, finalizer.cue))),
        decoding=Decoding(finalizer.max_tokens, finalizer.temperature, stack.seed, _stop(finalizer)),
        n_prefix=len(prefix),
        schema=_schema(choices) if choices else None,
        replicate=replicate,
        stage_version=str(STAGE_VERSION),
    )


def _examples(finalizer: FinalizerConfig) -> list[tuple[str, str]]:
    return [
        (_asked(example.question, example.messages, finalizer.cue), _answered(example.answer, finalizer))
        for example in finalizer.examples
    ]


def _asked(question: str, messages: Sequence[str], cue: str) -> str:
    notes = " ".join(message for message in messages if message) or "None."
    return f"Question: {question}\n{notes}\n{cue}"


def _answered(answer: str, finalizer: FinalizerConfig) -> str:
    return answer if finalizer.answer == "free" else json.dumps({"answer": answer}, ensure_ascii=False)


def _stop(finalizer: FinalizerConfig) -> tuple[str, ...]:
    return ("\n",) if finalizer.answer == "free" else ()


def _schema(choices: Sequence[str]) -> str:
    return schema_text(
        {
            "type": "object",
            "properties": {"answer": {"type": "string", "enum": list(choices)}},
            "required": ["answer"],
            "additionalProperties": False,
        }
    )


def finals_table(
    requests: Mapping[CellKey, Request],
    completions: Mapping[str, Completion],
    identity: Identity,
    stack: str,
) -> pa.Table:
    """FINALS of the stack named `stack`: a row for each request that `completions` (by key) answers."""
    rows = []
    for key, request in requests.items():
        request_key = request.key(identity)
        if request_key in completions:
            said = _said(completions[request_key], request.schema is not None)
            rows.append({**key._asdict(), "stack": stack, "request_key": request_key, **said})
    return FINALS.from_rows(rows)


def _said(completion: Completion, is_json: bool) -> Row:
    return {
        "text": completion.text,
        "answer": _answer(completion.text, is_json) if completion.status == STATUS_OK else None,
        "status": completion.status,
        "prompt_tokens": completion.usage.prompt_tokens,
        "completion_tokens": completion.usage.completion_tokens,
    }


def _answer(text: str, is_json: bool) -> str:
    """The answer proper: the chosen span, or the first line that is not empty."""
    if is_json:
        return str(json.loads(text)["answer"])
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
