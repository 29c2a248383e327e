"""The benchmark: from chains to tasks with cards, passages and distractors."""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.config.worldhop import WorldhopConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.cover.benchmarks.worldhop.draws import Draws
from routeaudit.cover.benchmarks.worldhop.names import NameMaker
from routeaudit.cover.benchmarks.worldhop.region import Chain, Entity, Region, linked_chains, make_region
from routeaudit.cover.benchmarks.worldhop.relations import PLURALS, relations_of


@dataclass(frozen=True)
class Worldhop:
    """Seeded two-hop questions over an invented world.

    The world falls into regions. The questions of one region share source ids and form one connected
    component of 1 to `largest_component` questions; regions share nothing.
    """

    config: WorldhopConfig

    def load(self) -> Inventory:
        """Generate the tasks; nothing is dropped."""
        names = NameMaker(Draws(self.config.seed, "names"))
        tasks: list[SourceTask] = []
        region = 0
        while len(tasks) < self.config.n_tasks:
            tasks += self._region_tasks(region, names)
            region += 1
        kept = tuple(tasks[: self.config.n_tasks])
        return Inventory(kept, total=len(kept))

    def _region_tasks(self, number: int, names: NameMaker) -> list[SourceTask]:
        config = self.config
        draws = Draws(config.seed, "region", number)
        region = make_region(number, config.region_size, config.traits, names, draws)
        chains = linked_chains(region, 1 + draws.below(config.largest_component), draws)
        return [
            self._task(f"world{config.seed}-r{number}-q{place}", region, chain, draws)
            for place, chain in enumerate(chains)
        ]

    def _task(self, original_id: str, region: Region, chain: Chain, draws: Draws) -> SourceTask:
        firsts = self._slot(region, chain, chain.subject, self.config.hop1_workers, draws)
        seconds = self._slot(region, chain, chain.bridge, self.config.hop2_workers, draws)
        workers = [
            _worker(region, held, slot, draws)
            for slot, groups in enumerate((firsts, seconds))
            for held in groups
        ]
        return SourceTask(
            original_id=original_id,
            question=chain.question,
            answer=chain.answer.name,
            aliases=(),
            source_ids=chain.source_ids,
            required_units=chain.source_ids,
            workers=tuple(draws.shuffled(workers)),
            tier=f"{chain.first.name}-{chain.second.name}",
        )

    def _slot(
        self, region: Region, chain: Chain, gold: Entity, workers: int, draws: Draws
    ) -> list[list[Entity]]:
        """Deal `facts_per_worker` entities to each worker, the gold one and others like it.

        No other passage names the answer, so only the second gold passage decides it.
        """
        held = self.config.facts_per_worker
        others = [
            entity
            for entity in region.entities[gold.kind]
            if entity != gold and chain.answer not in region.mentions(entity)
        ]
        dealt = [gold, *draws.shuffled(others)[: workers * held - 1]]
        return [draws.shuffled(dealt[worker::workers]) for worker in range(workers)]


def _worker(region: Region, held: list[Entity], slot: int, draws: Draws) -> SourceWorker:
    kind = held[0].kind
    topics = ", ".join(sorted(entity.trait for entity in held))
    return SourceWorker(
        card=f"Keeps notes on {PLURALS[kind]}: {topics}.",
        passages=tuple(_passage(region, entity, draws) for entity in held),
        slot=slot,
    )


def _passage(region: Region, entity: Entity, draws: Draws) -> Passage:
    facts = [
        f"The {relation.name} of {entity.name} is {region.object(entity, relation).name}."
        for relation in relations_of(entity.kind)
    ]
    sentences = [f"{entity.name} is a {entity.trait}.", *draws.shuffled(facts)]
    return Passage(entity.entity_id, entity.name, tuple(sentences))
