"""The invented world's grammar: kinds, traits, relations and how each is said.

The grammar is plain on purpose: facts and questions name a relation by the same noun, which a language
model of 135 million parameters can follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# No trait begins with a vowel ("a ..."), and each is one word, so that a card's length says little.
TRAITS: Mapping[str, tuple[str, ...]] = {
    "person": ("weaver", "painter", "surgeon", "sailor", "baker", "singer", "miner", "judge"),
    "place": ("harbour", "fortress", "village", "seaport", "citadel", "market", "spa", "colony"),
    "work": ("novel", "ballad", "sonnet", "manual", "diary", "comedy", "sermon", "cookbook"),
    "organisation": ("guild", "bank", "school", "museum", "hospital", "brewery", "theatre", "shipyard"),
}
PLURALS: Mapping[str, str] = {
    "person": "people",
    "place": "places",
    "work": "works",
    "organisation": "organisations",
}
KINDS = tuple(PLURALS)


@dataclass(frozen=True)
class Relation:
    """A relation that is one-to-one within a region, named by a noun: the `name` of subject is object."""

    name: str
    subject: str
    object: str

    @property
    def asks(self) -> str:
        """The question word for the object."""
        return "Who" if self.object == "person" else "What"

    @property
    def links(self) -> str:
        """The relative pronoun for the object."""
        return "who" if self.object == "person" else "that"


RELATIONS = (
    Relation("author", "work", "person"),
    Relation("publisher", "work", "organisation"),
    Relation("founder", "organisation", "person"),
    Relation("seat", "organisation", "place"),
    Relation("birthplace", "person", "place"),
    Relation("employer", "person", "organisation"),
    Relation("governor", "place", "person"),
    Relation("anthem", "place", "work"),
)


def relations_of(kind: str) -> tuple[Relation, ...]:
    """The relations whose subject is of `kind`."""
    return tuple(relation for relation in RELATIONS if relation.subject == kind)
