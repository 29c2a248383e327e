"""Every endpoint: which runs it reads, and its value where all of them are valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from routeaudit.cover.grading import answers, evidence
from routeaudit.cover.grading.cells import Cell, worst
from routeaudit.tables.artifacts import STATUS_MISSING, STATUS_OK


@dataclass(frozen=True)
class Endpoint:
    """`value` in [0, 1] is asked only where the cell's `status` is ok; `offline` ones need no model."""

    value: Callable[[Cell], float]
    status: Callable[[Cell], str]
    offline: bool = False


@dataclass(frozen=True)
class Outcome:
    """An endpoint's value in one cell: 0 where a run it reads is invalid, None where one is missing."""

    value: float | None
    status: str


def outcome(endpoint: str, cell: Cell) -> Outcome:
    """Grade one cell."""
    rule = ENDPOINTS[endpoint]
    status = rule.status(cell)
    if status == STATUS_OK:
        return Outcome(rule.value(cell), status)
    return Outcome(None if status == STATUS_MISSING else 0.0, status)


def _complete(cell: Cell) -> float:
    return evidence.complete(cell.gold.required_units, cell.held.values())


def _coverage(cell: Cell) -> float:
    return evidence.coverage(cell.gold.required_units, cell.held.values())


def _evidence_verified(cell: Cell) -> float:
    return evidence.verified(cell.gold.required_units, cell.held, cell.quotes)


def _exact(cell: Cell) -> float:
    return answers.exact_match(answers.first_line(cell.final.text), cell.gold.answers)


def _f1(cell: Cell) -> float:
    return answers.f1(answers.first_line(cell.final.text), cell.gold.answers)


def _answer_verified(cell: Cell) -> float:
    return _exact(cell) * _evidence_verified(cell)


def _no_run(cell: Cell) -> str:
    return STATUS_OK


def _messages(cell: Cell) -> str:
    return cell.messages_status


def _final(cell: Cell) -> str:
    return cell.final.status


def _messages_and_final(cell: Cell) -> str:
    return worst((cell.messages_status, cell.final.status))


ENDPOINTS: Mapping[str, Endpoint] = {
    "evidence_complete": Endpoint(_complete, _no_run, offline=True),
    "evidence_coverage": Endpoint(_coverage, _no_run, offline=True),
    "evidence_verified": Endpoint(_evidence_verified, _messages),
    "answer_exact": Endpoint(_exact, _final),
    "answer_f1": Endpoint(_f1, _final),
    "answer_verified": Endpoint(_answer_verified, _messages_and_final),
}
