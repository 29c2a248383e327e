"""A problem with its answer, and the file in which a study keeps its problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from routeaudit.errors import InputError
from routeaudit.tables import read_json, write_json

Kind = Literal["choice", "short", "math"]
PROBLEMS_SCHEMA = "routeaudit.problems/1"


@dataclass(frozen=True)
class Problem:
    """One problem.

    Parameters
    ----------
    kind : how answers are compared: options, short texts, or mathematics
    answer, aliases : the reference and other accepted spellings; never shown to an agent
    options : what a multiple-choice question offers, the answer among them
    difficulty : a number that grows with difficulty, where the source has one
    briefs : what each seat is told in private; agent i holds brief i modulo their number
    """

    uid: str
    question: str
    kind: Kind
    answer: str
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    tier: str | None = None
    difficulty: float | None = None
    briefs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fault = self._fault()
        if fault is not None:
            raise InputError(f"problem {self.uid!r}", *fault)

    def _fault(self) -> tuple[str, str, str] | None:
        if not self.question.strip() or not self.answer.strip():
            return "a question and an answer", "an empty one", "drop the problem at its source"
        if self.kind not in get_args(Kind):
            return f"kind {', '.join(get_args(Kind))}", repr(self.kind), "correct the kind"
        if self.kind == "choice" and self.answer not in self.options:
            return "the answer among the options", repr(self.options)[:200], "add it to the options"
        if len(set(self.options)) != len(self.options):
            return "different options", repr(self.options)[:200], "merge equal options"
        return None

    def brief(self, seat: int) -> str:
        """What the agent of a seat is told in private; empty if there are no briefs."""
        return self.briefs[seat % len(self.briefs)] if self.briefs else ""


def unique_problems(problems: Sequence[Problem], where: str) -> tuple[Problem, ...]:
    """The problems, once each.

    Raises
    ------
    InputError : none at all, or a uid twice
    """
    if not problems:
        raise InputError(where, "at least one problem", "none", "check the file")
    seen: set[str] = set()
    for problem in problems:
        if problem.uid in seen:
            raise InputError(f"{where}, problem {problem.uid!r}", "each uid once", "twice", "rename one")
        seen.add(problem.uid)
    return tuple(problems)


def write_problems(path: Path, problems: Sequence[Problem]) -> None:
    """Write problems with their answers: a private file."""
    write_json(path, {"schema": PROBLEMS_SCHEMA, "problems": [asdict(problem) for problem in problems]})


def read_problems(path: Path) -> tuple[Problem, ...]:
    """Read what `write_problems` wrote."""
    values = read_json(path)
    if not isinstance(values, dict) or values.get("schema") != PROBLEMS_SCHEMA:
        raise InputError(str(path), PROBLEMS_SCHEMA, repr(values)[:80], "run the problems stage again")
    return unique_problems([_problem(row) for row in values["problems"]], str(path))


def _problem(row: dict[str, Any]) -> Problem:
    listed = {name: tuple(row[name]) for name in ("aliases", "options", "briefs")}
    return Problem(**{**row, **listed})
