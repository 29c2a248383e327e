"""The invented world's grammar: kinds, traits, relations and how each is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KINDS = ("person", "place", "work", "organisation")

# Equally many words per trait within a kind, so that a card's length says nothing.
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


@dataclass(frozen=True)
class Relation:
    """A one-to-one relation within a region.

    `fact` states it of {subject} and {object}; `reference` names the object by the subject ({trait} is
    the object's trait); `question` asks for the object of a subject described by {subject}.
    """

    name: str
    subject: str
    object: str
    fact: str
    reference: str
    question: str


RELATIONS = (
    Relation(
        "author",
        "work",
        "person",
        "{subject} was written by {object}.",
        "the {trait} who wrote {subject}",
        "Who wrote {subject}?",
    ),
    Relation(
        "publisher",
        "work",
        "organisation",
        "{subject} was published by {object}.",
        "the {trait} that published {subject}",
        "Which organisation published {subject}?",
    ),
    Relation(
        "founder",
        "organisation",
        "person",
        "{subject} was founded by {object}.",
        "the {trait} who founded {subject}",
        "Who founded {subject}?",
    ),
    Relation(
        "seat",
        "organisation",
        "place",
        "{subject} is based in {object}.",
        "the {trait} where {subject} is based",
        "In which place is {subject} based?",
    ),
    Relation(
        "birthplace",
        "person",
        "place",
        "{subject} was born in {object}.",
        "the {trait} where {subject} was born",
        "In which place was {subject} born?",
    ),
    Relation(
        "employer",
        "person",
        "organisation",
        "{subject} worked for {object}.",
        "the {trait} that employed {subject}",
        "Which organisation employed {subject}?",
    ),
    Relation(
        "governor",
        "place",
        "person",
        "{subject} was governed by {object}.",
        "the {trait} who governed {subject}",
        "Who governed {subject}?",
    ),
    Relation(
        "setting",
        "place",
        "work",
        "{subject} is the setting of {object}.",
        "the {trait} set in {subject}",
        "Which work is set in {subject}?",
    ),
)


def relations_of(kind: str) -> tuple[Relation, ...]:
    """The relations whose subject is of `kind`."""
    return tuple(relation for relation in RELATIONS if relation.subject == kind)
