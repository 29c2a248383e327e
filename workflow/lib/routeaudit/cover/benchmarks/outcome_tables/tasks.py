"""From rows of values to tasks whose workers are named and whose outcomes are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from routeaudit.cover.benchmarks.base import SourceCell, SourceTask, SourceWorker
from routeaudit.errors import InputError

Team = tuple[str, ...]

_WORDS = {"true": 1.0, "false": 0.0}


def cell_value(text: str, where: str) -> float | None:
    """A cell's value: a number in [0, 1], `True` or `False`; None for an empty cell.

    Raises
    ------
    InputError : any other text, NaN included.
    """
    plain = text.strip()
    if not plain:
        return None
    try:
        value = _WORDS.get(plain.lower())
        value = float(plain) if value is None else value
    except ValueError:
        value = float("nan")
    if not 0.0 <= value <= 1.0:
        raise InputError(
            where,
            "an outcome in [0, 1], True, False or nothing",
            repr(text),
            "rescale the outcome or leave it empty",
        )
    return value


def table_task(
    original_id: str,
    question: str,
    source_id: str,
    values: Mapping[Team, float | None],
    workers: Sequence[str],
    tier: str | None = None,
) -> SourceTask:
    """A task with given outcomes; a worker's card is its name, and it holds no passage."""
    return SourceTask(
        original_id=original_id,
        question=question,
        answer="",
        aliases=(),
        source_ids=(source_id,),
        required_units=(),
        workers=tuple(SourceWorker(card=name, passages=(), slot=0, name=name) for name in workers),
        tier=tier,
        cells=tuple(SourceCell(team, value) for team, value in sorted(values.items())),
    )


def singles(values: Mapping[str, float | None]) -> dict[Team, float | None]:
    """Values of single workers as values of teams of one."""
    return {(name,): value for name, value in values.items()}
