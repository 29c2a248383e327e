"""An invented world: who holds which office in which town, and what every agent was told of it.

Its names occur in no training text, so an answer comes from an agent's notes or from a guess. A tier says how
many agents hold the fact that answers the question; it is set before anybody answers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from routeaudit.config.problems import WorldProblems
from routeaudit.deliberation.problems.base import Problem
from routeaudit.errors import InputError

_FIRST = [
    "Ada",
    "Ivo",
    "Mara",
    "Jon",
    "Pia",
    "Lena",
    "Otto",
    "Rik",
    "Sela",
    "Tomas",
    "Vera",
    "Nils",
    "Greta",
    "Hugo",
    "Iris",
    "Karl",
]
_LAST = [
    "Fenn",
    "Brandt",
    "Lindholt",
    "Hale",
    "Holm",
    "Osmark",
    "Varga",
    "Tolvan",
    "Kestrel",
    "Morrow",
    "Dunmore",
    "Ashby",
    "Pell",
    "Quist",
    "Rowan",
    "Sorrel",
]
_TOWNS = (
    "Ostrel",
    "Castelby",
    "Dunwick",
    "Farholt",
    "Kelmoor",
    "Thornby",
    "Wexley",
    "Arbury",
    "Stade",
    "Quill",
)
_OFFICES = ("baker", "mayor", "miller", "smith", "doctor", "teacher", "tailor", "judge")


@dataclass(frozen=True)
class Fact:
    """One office of one town and its holder."""

    office: str
    town: str
    holder: str

    @property
    def sentence(self) -> str:
        return f"The {self.office} of {self.town} is {self.holder}."


def world_problems(config: WorldProblems) -> list[Problem]:
    """The problems of a world, in order.

    Raises
    ------
    InputError : more knowers than seats, or more notes or options than the world has people
    """
    _check(config)
    return [_problem(config, number) for number in range(config.n)]


def _check(config: WorldProblems) -> None:
    if max(config.knowers) > config.seats or min(config.knowers) < 0:
        raise InputError(
            "problems.knowers", f"numbers from 0 to {config.seats} (seats)", str(config.knowers), "add seats"
        )
    needed = max(config.notes + 1, config.options)
    if needed > len(_OFFICES):
        raise InputError(
            "problems",
            f"at most {len(_OFFICES) - 1} notes and {len(_OFFICES)} options",
            str(needed),
            "ask for fewer",
        )


def _problem(config: WorldProblems, number: int) -> Problem:
    rng = random.Random(f"{config.seed}|{number}")
    facts = _facts(rng)
    asked, others = facts[0], facts[1:]
    knowers = config.knowers[number % len(config.knowers)]
    holds = [seat < knowers for seat in range(config.seats)]
    rng.shuffle(holds)
    briefs = tuple(_brief(rng, asked if held else None, others, config.notes) for held in holds)
    choice = config.formats[number % len(config.formats)] == "choice"
    return Problem(
        uid=f"world-{number + 1:03d}",
        question=f"Who is the {asked.office} of {asked.town}?",
        kind="choice" if choice else "short",
        answer=asked.holder,
        options=_options(rng, asked, others, config.options) if choice else (),
        tier=f"{config.seats - knowers + 1:02d}",
        difficulty=float(config.seats - knowers + 1),
        briefs=briefs,
    )


def _facts(rng: random.Random) -> list[Fact]:
    """As many facts as there are offices; no two share an office, a town or a holder."""
    n = len(_OFFICES)
    names = [
        f"{first} {last}" for first, last in zip(rng.sample(_FIRST, n), rng.sample(_LAST, n), strict=True)
    ]
    offices, towns = rng.sample(_OFFICES, n), rng.sample(_TOWNS, n)
    return [Fact(*parts) for parts in zip(offices, towns, names, strict=True)]


def _brief(rng: random.Random, asked: Fact | None, others: list[Fact], notes: int) -> str:
    told = rng.sample(others, notes - (asked is not None)) + ([asked] if asked is not None else [])
    rng.shuffle(told)
    return " ".join(fact.sentence for fact in told)


def _options(rng: random.Random, asked: Fact, others: list[Fact], n: int) -> tuple[str, ...]:
    offered = [asked.holder, *(fact.holder for fact in rng.sample(others, n - 1))]
    rng.shuffle(offered)
    return tuple(offered)
