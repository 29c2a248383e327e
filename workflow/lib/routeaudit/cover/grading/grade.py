"""From the plan, the messages and the final answers to OUTCOMES."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.grading.cells import ABSENT, Cell, Gold, Said
from routeaudit.cover.grading.counts import counted
from routeaudit.cover.grading.endpoints import ENDPOINTS, outcome
from routeaudit.cover.stack.keys import CellKey, MessageKey
from routeaudit.cover.stack.workers import passages_by_worker
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import FINALS, MESSAGES, OUTCOMES

K = TypeVar("K")
V = TypeVar("V")

OFFLINE_STACK = "offline"
_NO_MESSAGES, _NO_FINALS = MESSAGES.fields.empty_table(), FINALS.fields.empty_table()


@dataclass(frozen=True)
class Material:
    """Private tables by key."""

    gold: Mapping[str, Gold]
    held: Mapping[tuple[str, str], Sequence[Passage]]
    messages: Mapping[MessageKey, Said]
    finals: Mapping[CellKey, Said]


def grade(
    plan: pa.Table,
    messages: pa.Table,
    finals: pa.Table,
    evidence: pa.Table,
    answers: pa.Table,
    endpoints: Sequence[str],
    stack: str,
    replicates: int = 1,
) -> pa.Table:
    """OUTCOMES of one stack: every endpoint in every planned cell and replicate.

    Parameters
    ----------
    plan, messages, finals, evidence, answers : PLAN, MESSAGES, FINALS, PRIVATE_EVIDENCE, PRIVATE_ANSWERS
    endpoints : names in `ENDPOINTS`

    A message or final answer that is not there counts as missing.

    Raises
    ------
    InputError : an endpoint nobody defined, or a planned task or worker that the private tables lack.
    """
    material = Material(_gold(answers), passages_by_worker(evidence), _messages(messages), _finals(finals))
    names = [_known(name) for name in endpoints]
    rows = [
        _row(name, stack, key, cell) for key, cell in _cells(plan, material, replicates) for name in names
    ]
    outcomes = OUTCOMES.from_rows(rows)
    counted(outcomes, plan.num_rows * replicates * len(names))
    return outcomes


def grade_offline(
    plan: pa.Table, evidence: pa.Table, answers: pa.Table, endpoints: Sequence[str]
) -> pa.Table:
    """OUTCOMES of a study without a model, straight from the evidence; the stack is named ``offline``.

    Raises
    ------
    InputError : an endpoint that needs a model.
    """
    for name in endpoints:
        if not ENDPOINTS[_known(name)].offline:
            raise InputError(
                "endpoints",
                f"one that needs no model: {', '.join(n for n, e in ENDPOINTS.items() if e.offline)}",
                name,
                "declare a stack, or another endpoint",
            )
    return grade(plan, _NO_MESSAGES, _NO_FINALS, evidence, answers, endpoints, OFFLINE_STACK)


def _cells(plan: pa.Table, material: Material, replicates: int) -> Iterator[tuple[CellKey, Cell]]:
    for row in plan.to_pylist():
        task, workers = row["task_id"], row["workers"]
        gold = _found(material.gold, task, "private/answers")
        held = {worker: _found(material.held, (task, worker), "private/evidence") for worker in workers}
        for replicate in range(replicates):
            key = CellKey(task, row["team_id"], replicate)
            said = {w: material.messages.get(MessageKey(task, w, replicate), ABSENT) for w in workers}
            yield key, Cell(gold, held, said, material.finals.get(key, ABSENT))


def _row(endpoint: str, stack: str, key: CellKey, cell: Cell) -> dict[str, object]:
    graded = outcome(endpoint, cell)
    return {
        "endpoint": endpoint,
        "stack": stack,
        **key._asdict(),
        "value": graded.value,
        "status": graded.status,
    }


def _gold(answers: pa.Table) -> dict[str, Gold]:
    return {
        row["task_id"]: Gold((row["answer"], *row["aliases"]), tuple(row["required_units"]))
        for row in answers.to_pylist()
    }


def _messages(messages: pa.Table) -> dict[MessageKey, Said]:
    return {
        MessageKey(row["task_id"], row["worker_id"], row["replicate"]): Said(
            row["quote"] or "", row["status"]
        )
        for row in messages.to_pylist()
    }


def _finals(finals: pa.Table) -> dict[CellKey, Said]:
    return {
        CellKey(row["task_id"], row["team_id"], row["replicate"]): Said(row["answer"] or "", row["status"])
        for row in finals.to_pylist()
    }


def _known(endpoint: str) -> str:
    if endpoint in ENDPOINTS:
        return endpoint
    raise InputError("endpoints", f"one of {', '.join(ENDPOINTS)}", endpoint, "correct the name")


def _found(table: Mapping[K, V], key: K, where: str) -> V:
    if key in table:
        return table[key]
    raise InputError(where, f"a row of {key!r}, which the plan names", "none", "publish the tasks again")
