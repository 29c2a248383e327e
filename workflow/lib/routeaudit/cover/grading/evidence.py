"""Evidence that a team holds, and evidence that its messages quote."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from routeaudit.cover.benchmarks.base import Passage

Passages = Sequence[Passage]


def complete(required: Collection[str], held: Iterable[Passages]) -> float:
    """1.0 where the team's passages hold every required unit, else 0.0."""
    return float(set(required) <= _units(held))


def coverage(required: Collection[str], held: Iterable[Passages]) -> float:
    """The share of required units that the team's passages hold; 1.0 where none is required."""
    wanted = set(required)
    return len(wanted & _units(held)) / len(wanted) if wanted else 1.0


def verified(required: Collection[str], held: Mapping[str, Passages], quotes: Mapping[str, str]) -> float:
    """1.0 where every required unit is quoted by a worker that holds it, else 0.0.

    Parameters
    ----------
    held : worker id -> its passages
    quotes : worker id -> its quotes, one a line; a worker without a valid message is absent
    """
    quoted = {
        passage.unit_id
        for worker, said in quotes.items()
        for passage in held[worker]
        if any(found_in(quote, passage) for quote in said.splitlines())
    }
    return float(set(required) <= quoted)


def found_in(quote: str, passage: Passage) -> bool:
    """Whether a quote that is not blank stands in the passage, white space aside."""
    wanted = " ".join(quote.split())
    return bool(wanted) and wanted in " ".join(" ".join(passage.sentences).split())


def _units(held: Iterable[Passages]) -> set[str]:
    return {passage.unit_id for passages in held for passage in passages}
