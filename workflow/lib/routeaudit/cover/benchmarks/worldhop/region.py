"""A region: a closed piece of the world, so that no source id is shared between regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from routeaudit.cover.benchmarks.worldhop.draws import Draws
from routeaudit.cover.benchmarks.worldhop.names import NameMaker
from routeaudit.cover.benchmarks.worldhop.relations import KINDS, RELATIONS, TRAITS, Relation, relations_of


@dataclass(frozen=True)
class Entity:
    """One person, place, work or organisation; `entity_id` is unique in the world."""

    entity_id: str
    kind: str
    name: str
    trait: str

    def __str__(self) -> str:
        return f"the {self.trait} {self.name}"


@dataclass(frozen=True)
class Chain:
    """A two-hop path: `subject` -first-> `bridge` -second-> `answer`."""

    subject: Entity
    first: Relation
    bridge: Entity
    second: Relation
    answer: Entity

    @property
    def source_ids(self) -> tuple[str, str]:
        """Whose facts the question needs."""
        return self.subject.entity_id, self.bridge.entity_id

    @property
    def question(self) -> str:
        """The question; it names the subject and the traits, neither the bridge nor the answer."""
        bridge = f"the {self.bridge.trait} {self.first.links} is the {self.first.name} of {self.subject}"
        return f"{self.second.asks} is the {self.second.name} of {bridge}?"


@dataclass(frozen=True)
class Region:
    """Equally many entities of each kind; every relation is a one-to-one map within the region."""

    entities: Mapping[str, tuple[Entity, ...]]
    objects: Mapping[tuple[str, str], Entity]

    def object(self, subject: Entity, relation: Relation) -> Entity:
        """What `relation` holds of `subject`."""
        return self.objects[relation.name, subject.entity_id]

    def mentions(self, entity: Entity) -> tuple[Entity, ...]:
        """Everything that the entity's passage names."""
        return entity, *(self.object(entity, relation) for relation in relations_of(entity.kind))

    def chains(self) -> list[Chain]:
        """Every path whose answer its first passage does not already name."""
        paths = [
            Chain(subject, first, bridge, second, self.object(bridge, second))
            for first in RELATIONS
            for subject in self.entities[first.subject]
            for bridge in [self.object(subject, first)]
            for second in relations_of(first.object)
        ]
        return [path for path in paths if path.answer not in self.mentions(path.subject)]


def make_region(number: int, size: int, n_traits: int, names: NameMaker, draws: Draws) -> Region:
    """Draw a region of `size` entities per kind.

    Traits are drawn independently for every entity, so that gold and distracting workers cannot be
    told apart by cards alone.
    """
    made = {
        "person": names.people(size),
        "place": names.places(size),
        "work": names.works(size),
        "organisation": names.organisations(size),
    }
    entities = {
        kind: tuple(
            Entity(f"r{number}-{kind}-{place}", kind, name, draws.one(TRAITS[kind][:n_traits]))
            for place, name in enumerate(made[kind])
        )
        for kind in KINDS
    }
    objects = {
        (relation.name, subject.entity_id): target
        for relation in RELATIONS
        for subject, target in zip(
            entities[relation.subject], draws.shuffled(entities[relation.object]), strict=True
        )
    }
    return Region(entities, objects)


def linked_chains(region: Region, count: int, draws: Draws) -> list[Chain]:
    """Up to `count` chains that form one connected component of shared source ids."""
    candidates = draws.shuffled(region.chains())
    linked = candidates[:1]
    while len(linked) < count:
        known = {source for chain in linked for source in chain.source_ids}
        following = next(
            (chain for chain in candidates if chain not in linked and known.intersection(chain.source_ids)),
            None,
        )
        if following is None:
            break
        linked.append(following)
    return linked
