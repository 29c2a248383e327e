"""Workers: requests from private passages, and messages from completions.

A worker reads the question and its own passages. From each passage it quotes one sentence, which a JSON
schema holds to the passage's own sentences, and adds one short claim.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from routeaudit.config.stack import STAGE_VERSION, StackConfig, WorkerConfig
from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.stack.conversation import few_shot
from routeaudit.cover.stack.keys import MessageKey
from routeaudit.cover.stack.spans import spans
from routeaudit.errors import InputError
from routeaudit.execution import Completion, Decoding, Identity, Message, Request, schema_text
from routeaudit.tables.artifacts import MESSAGES, STATUS_OK


def worker_requests(
    plan: pa.Table, tasks: pa.Table, evidence: pa.Table, stack: StackConfig
) -> dict[MessageKey, Request]:
    """One request per replicate for every worker of a planned cell, each worker of a task once.

    Parameters
    ----------
    plan, tasks, evidence : PLAN, PUBLIC_TASKS, PRIVATE_EVIDENCE

    Raises
    ------
    InputError : a planned worker that holds no passages.
    """
    question = dict(zip(tasks["task_id"].to_pylist(), tasks["question"].to_pylist(), strict=True))
    held = passages_by_worker(evidence)
    planned = sorted({(row["task_id"], worker) for row in plan.to_pylist() for worker in row["workers"]})
    requests = {}
    for task_id, worker_id in planned:
        passages = held.get((task_id, worker_id), ())
        if not passages:
            raise InputError(
                f"private/evidence, task {task_id!r}, worker {worker_id!r}",
                "at least one passage",
                "none",
                "publish the tasks again, or leave this benchmark without a stack",
            )
        for replicate in range(stack.replicates):
            request = worker_request(question[task_id], passages, stack, replicate)
            requests[MessageKey(task_id, worker_id, replicate)] = request
    return requests


def passages_by_worker(evidence: pa.Table) -> dict[tuple[str, str], tuple[Passage, ...]]:
    """(task_id, worker_id) -> passages, from PRIVATE_EVIDENCE."""
    return {
        (row["task_id"], row["worker_id"]): tuple(
            Passage(passage["unit_id"], passage["title"], tuple(passage["sentences"]))
            for passage in row["passages"]
        )
        for row in evidence.to_pylist()
    }


def _slots(evidence: pa.Table) -> dict[tuple[str, str], int]:
    return {(row["task_id"], row["worker_id"]): row["slot"] for row in evidence.to_pylist()}


def worker_request(
    question: str, passages: Sequence[Passage], stack: StackConfig, replicate: int = 0
) -> Request:
    """What a worker with these passages is asked."""
    worker = stack.worker
    prefix = few_shot(worker.instruction, _examples(worker, len(passages)))
    texts = [(passage.title, passage.sentences) for passage in passages]
    return Request(
        messages=(*prefix, Message("user", _asked(question, texts))),
        decoding=Decoding(worker.max_tokens, worker.temperature, stack.seed),
        n_prefix=len(prefix),
        schema=schema_text(_schema([passage.sentences for passage in passages], worker.claim)),
        replicate=replicate,
        stage_version=str(STAGE_VERSION),
    )


def _examples(worker: WorkerConfig, n_passages: int) -> list[tuple[str, str]]:
    shown = []
    for example in worker.examples:
        passages = example.passages[:n_passages]
        said: dict[str, str] = dict(
            zip(_quote_names(len(passages)), [p.quote for p in passages], strict=True)
        )
        if worker.claim != "none":
            said["claim"] = example.claim
        asked = _asked(example.question, [(p.title, p.sentences) for p in passages])
        shown.append((asked, json.dumps(said, ensure_ascii=False)))
    return shown


def _asked(question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Passages first: with the question last, a small model quotes the sentence that the question needs."""
    lines = [f"Passage: {' '.join(sentences)}" for _, sentences in passages]
    return "\n".join([*lines, f"Question: {question}"])


def _quote_names(n_passages: int) -> list[str]:
    return ["quote", *(f"quote{place}" for place in range(2, n_passages + 1))]


def _schema(passages: Sequence[Sequence[str]], claim: str) -> dict[str, Any]:
    properties: dict[str, Any] = {
        name: _one_of(sentences)
        for name, sentences in zip(_quote_names(len(passages)), passages, strict=True)
    }
    if claim != "none":
        names = spans(sentence for sentences in passages for sentence in sentences)
        properties["claim"] = _one_of(names) if names and claim == "span" else {"type": "string"}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(texts: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(dict.fromkeys(texts))}


def messages_table(
    requests: Mapping[MessageKey, Request],
    completions: Mapping[str, Completion],
    identity: Identity,
    evidence: pa.Table,
    stack: str,
) -> pa.Table:
    """MESSAGES of the stack named `stack`: a row for each request that `completions` (by key) answers.

    `text` is what the finalizer will read, or, where the run is invalid, what the model wrote.
    """
    held, slots = passages_by_worker(evidence), _slots(evidence)
    rows = []
    for key, request in requests.items():
        request_key = request.key(identity)
        if request_key in completions:
            worker = key.task_id, key.worker_id
            said = _said(completions[request_key], held[worker])
            place = {"stack": stack, "slot": slots[worker], "request_key": request_key}
            rows.append({**key._asdict(), **place, **said})
    return MESSAGES.from_rows(rows)


def _said(completion: Completion, passages: Sequence[Passage]) -> dict[str, object]:
    """A completion's columns; several quotes are joined by line breaks in the order of the passages."""
    answer = json.loads(completion.text) if completion.status == STATUS_OK else {}
    quotes = [answer[name] for name in _quote_names(len(passages)) if name in answer]
    return {
        "text": _shown(passages, quotes) if quotes else completion.text,
        "quote": "\n".join(quotes) if quotes else None,
        "claim": answer.get("claim"),
        "status": completion.status,
        "prompt_tokens": completion.usage.prompt_tokens,
        "completion_tokens": completion.usage.completion_tokens,
    }


def _shown(passages: Sequence[Passage], quotes: Sequence[str]) -> str:
    """The quotes, each after its passage's title where it does not name it (it may say "he" or "it")."""
    return " ".join(
        quote if passage.title in quote else f"{passage.title}: {quote}"
        for passage, quote in zip(passages, quotes, strict=True)
    )
