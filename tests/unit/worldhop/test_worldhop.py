"""The invented world: determinism, gold chains, distractors, components and cards."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from routeaudit.config.worldhop import WorldhopConfig
from routeaudit.cover.benchmarks.base import Passage, SourceTask, SourceWorker
from routeaudit.cover.benchmarks.worldhop import Worldhop
from routeaudit.cover.benchmarks.worldhop.relations import RELATIONS
from routeaudit.tables import canonical_json, text_digest

SHAPES = st.builds(
    WorldhopConfig,
    seed=st.integers(0, 10_000),
    n_tasks=st.integers(1, 25),
    hop1_workers=st.integers(2, 4),
    hop2_workers=st.integers(2, 3),
    facts_per_worker=st.integers(1, 3),
    traits=st.integers(2, 8),
    largest_component=st.integers(1, 5),
)


def tasks_of(config: WorldhopConfig) -> tuple[SourceTask, ...]:
    return Worldhop(config).load().tasks


def digest_of(config: WorldhopConfig) -> str:
    return text_digest(canonical_json([asdict(task) for task in tasks_of(config)]))


def passages_of(task: SourceTask) -> list[Passage]:
    return [passage for worker in task.workers for passage in worker.passages]


def text_of(passage: Passage) -> str:
    return " ".join(passage.sentences)


def holders(task: SourceTask, unit: str) -> list[SourceWorker]:
    return [worker for worker in task.workers if any(p.unit_id == unit for p in worker.passages)]


def test_a_seed_gives_the_world_it_gave_in_every_earlier_release() -> None:
    assert digest_of(WorldhopConfig(seed=11, n_tasks=20)) == GOLDEN


@pytest.mark.concurrent
def test_the_world_does_not_depend_on_the_process_and_its_hash_seed() -> None:
    program = (
        "from test_worldhop import *; print(digest_of(WorldhopConfig(seed=3, n_tasks=9, facts_per_worker=2)))"
    )
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parents[2] / "workflow" / "lib")])
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {digest_of(WorldhopConfig(seed=3, n_tasks=9, facts_per_worker=2)) + "\n"}


def test_another_seed_is_another_world() -> None:
    first, second = (tasks_of(WorldhopConfig(seed=seed, n_tasks=10)) for seed in (1, 2))
    assert not {task.question for task in first} & {task.question for task in second}


def test_more_tasks_of_a_seed_begin_with_the_same_tasks() -> None:
    assert tasks_of(WorldhopConfig(n_tasks=30))[:12] == tasks_of(WorldhopConfig(n_tasks=12))


@settings(max_examples=25, deadline=None)
@given(SHAPES)
def test_following_the_question_through_the_gold_passages_gives_the_answer(config: WorldhopConfig) -> None:
    for task in tasks_of(config):
        asked = re.fullmatch(
            r"(?:Who|What) is the (\w+) of the \w+ (?:who|that) is the (\w+) of the \w+ (.+)\?", task.question
        )
        assert asked is not None
        second, first, subject = asked.groups()
        bridge_id, text = task.required_units[1], {p.unit_id: text_of(p) for p in passages_of(task)}
        bridge = next(p.title for p in passages_of(task) if p.unit_id == bridge_id)
        assert f"The {first} of {subject} is {bridge}." in text[task.required_units[0]]
        assert f"The {second} of {bridge} is {task.answer}." in text[bridge_id]


@settings(max_examples=25, deadline=None)
@given(SHAPES)
def test_only_the_second_gold_passage_names_the_answer_and_no_card_or_question_does(
    config: WorldhopConfig,
) -> None:
    for task in tasks_of(config):
        naming = [p.unit_id for p in passages_of(task) if task.answer in text_of(p)]
        assert naming == [task.required_units[1]]
        public = [task.question, *(worker.card for worker in task.workers)]
        assert not any(task.answer in text for text in public)


@settings(max_examples=25, deadline=None)
@given(SHAPES)
def test_each_slot_has_its_workers_one_of_them_gold_all_with_equally_many_distinct_passages(
    config: WorldhopConfig,
) -> None:
    tasks = tasks_of(config)
    assert len(tasks) == config.n_tasks
    for task in tasks:
        slots = Counter(worker.slot for worker in task.workers)
        assert slots == {0: config.hop1_workers, 1: config.hop2_workers}
        assert {len(worker.passages) for worker in task.workers} == {config.facts_per_worker}
        units = [p.unit_id for p in passages_of(task)]
        assert len(set(units)) == len(units)
        assert [[w.slot for w in holders(task, unit)] for unit in task.required_units] == [[0], [1]]


def test_distractors_share_kind_and_name_with_what_they_distract_from() -> None:
    for task in tasks_of(WorldhopConfig(n_tasks=40)):
        for slot, unit in enumerate(task.required_units):
            gold = next(p for p in passages_of(task) if p.unit_id == unit)
            others = [p for w in task.workers if w.slot == slot for p in w.passages if p != gold]
            assert {p.unit_id.split("-")[1] for p in others} == {gold.unit_id.split("-")[1]}
            assert all(longest_common_part(gold.title, p.title) >= 4 for p in others)


def longest_common_part(one: str, other: str) -> int:
    sizes = (size for size in range(len(one), 0, -1))
    return next(
        (n for n in sizes if any(one[i : i + n] in other for i in range(len(one) - n + 1))),
        0,
    )


@settings(max_examples=25, deadline=None)
@given(SHAPES)
def test_components_of_shared_sources_are_the_regions_and_no_larger_than_declared(
    config: WorldhopConfig,
) -> None:
    tasks = tasks_of(config)
    regions = defaultdict(set)
    for task in tasks:
        regions[task.original_id.split("-q")[0]].add(task.original_id)
    assert components(tasks) == {frozenset(members) for members in regions.values()}
    assert max(len(members) for members in regions.values()) <= config.largest_component


def components(tasks: tuple[SourceTask, ...]) -> set[frozenset[str]]:
    """Brute force: merge sets of tasks until no two share a source."""
    groups = [({task.original_id}, set(task.source_ids)) for task in tasks]
    merged = True
    while merged:
        merged = False
        for place, (members, sources) in enumerate(groups):
            touching = [group for group in groups[place + 1 :] if group[1] & sources]
            for group in touching:
                members |= group[0]
                sources |= group[1]
                groups.remove(group)
                merged = True
    return {frozenset(members) for members, _ in groups}


def test_source_ids_recur_across_questions_in_components_of_every_declared_size() -> None:
    tasks = tasks_of(WorldhopConfig(n_tasks=120, largest_component=3))
    sizes = Counter(len(members) for members in components(tasks))
    assert set(sizes) == {1, 2, 3}
    assert min(sizes.values()) >= 10


def test_no_entity_is_named_in_two_regions() -> None:
    named = defaultdict(set)
    for task in tasks_of(WorldhopConfig(n_tasks=60)):
        for passage in passages_of(task):
            named[passage.title].add(passage.unit_id.split("-")[0])
    assert all(len(regions) == 1 for regions in named.values())


def test_all_relations_are_asked_as_first_and_as_second_hop() -> None:
    tiers = [str(task.tier).split("-") for task in tasks_of(WorldhopConfig(n_tasks=200))]
    names = {relation.name for relation in RELATIONS}
    assert {first for first, _ in tiers} == names == {second for _, second in tiers}


def trait_score(card: str, question: str) -> int:
    return sum(topic in question.split() for topic in re.findall(r"\w+", card.split(":")[1]))


def test_a_text_router_finds_the_gold_team_more_often_than_chance_but_not_always() -> None:
    tasks = tasks_of(WorldhopConfig(n_tasks=400))
    rate = sum(matched_share(task) for task in tasks) / len(tasks)
    assert 0.6 < rate < 0.9


def matched_share(task: SourceTask) -> float:
    """Probability that a router that picks the best-matching card of each slot picks the gold team."""
    share = 1.0
    for slot, unit in enumerate(task.required_units):
        scores = {id(w): trait_score(w.card, task.question) for w in task.workers if w.slot == slot}
        best = [worker for worker, score in scores.items() if score == max(scores.values())]
        share *= (id(holders(task, unit)[0]) in best) / len(best)
    return share


@pytest.mark.parametrize("facts", [1, 2])
def test_card_length_and_worker_order_do_not_tell_the_gold_worker(facts: int) -> None:
    tasks = tasks_of(WorldhopConfig(n_tasks=600, facts_per_worker=facts))
    for slot in (0, 1):
        firsts = longer = ties = 0
        for task in tasks:
            pair = [worker for worker in task.workers if worker.slot == slot]
            gold = holders(task, task.required_units[slot])[0]
            firsts += pair[0] is gold
            lengths = [len(worker.card) for worker in pair]
            ties += lengths[0] == lengths[1]
            longer += lengths[0] != lengths[1] and len(gold.card) == max(lengths)
        # Five standard deviations of a fair coin.
        assert abs(firsts - 300) < 5 * 600**0.5 / 2
        assert abs(longer - (600 - ties) / 2) < 5 * 600**0.5 / 2


def test_with_several_facts_a_second_hop_worker_holds_rival_answers_to_the_same_question() -> None:
    for task in tasks_of(WorldhopConfig(n_tasks=40, facts_per_worker=3)):
        asked = task.question.split()[3]
        gold = holders(task, task.required_units[1])[0]
        rivals = [s for p in gold.passages for s in p.sentences if s.startswith(f"The {asked} of ")]
        assert len(rivals) == 3


def test_a_world_too_crowded_for_the_name_lists_is_refused() -> None:
    with pytest.raises(ValidationError, match="at most 22"):
        WorldhopConfig(facts_per_worker=8, hop1_workers=4)


def test_passages_stay_short() -> None:
    """SmolLM2 reads a passage of 129 characters as 33 to 39 tokens, so 180 stay below 60."""
    assert max(len(text_of(p)) for t in tasks_of(WorldhopConfig(n_tasks=300)) for p in passages_of(t)) <= 180


def test_names_do_not_run_out() -> None:
    tasks = tasks_of(WorldhopConfig(n_tasks=3000, largest_component=1))
    assert len({task.question for task in tasks}) == 3000


GOLDEN = "76366396323eed48238253f6b08d2f3feb09fab1aba8cfb2d7ec0bb39e3c34dd"
