"""From records to tasks: slots, distractors, hop order, cards, counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multihop_files import hotpot_config, hotpot_record, musique_config, musique_record, write_lines

from routeaudit.config.benchmarks import WikiMultihopConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask
from routeaudit.cover.benchmarks.cards import topic_cards
from routeaudit.cover.benchmarks.chain import title_share, title_verbatim
from routeaudit.cover.benchmarks.dealing import deal, ranked
from routeaudit.cover.benchmarks.hotpotqa import HotpotQA
from routeaudit.cover.benchmarks.inventory import read_inventory, write_inventory
from routeaudit.cover.benchmarks.load import load_inventory
from routeaudit.cover.benchmarks.multihop import GOLD_COMPONENT, sentences
from routeaudit.cover.benchmarks.musique import MuSiQue
from routeaudit.cover.benchmarks.wikihop import WikiMultihop
from routeaudit.errors import InputError


def hotpot(tmp_path: Path, records: list[dict[str, Any]], **settings: Any) -> Inventory:
    return HotpotQA(hotpot_config(write_lines(tmp_path / "hotpot.json", records), **settings)).load()


def musique(tmp_path: Path, records: list[dict[str, Any]], **settings: Any) -> Inventory:
    return MuSiQue(musique_config(write_lines(tmp_path / "musique.json", records), **settings)).load()


def slot_titles(task: SourceTask, slot: int) -> set[str]:
    return {worker.passages[0].title for worker in task.workers if worker.slot == slot}


def test_hotpot_task_has_two_workers_per_slot_and_its_gold_ones_in_hop_order(tmp_path: Path) -> None:
    (task,) = hotpot(tmp_path, [hotpot_record()]).tasks
    assert [worker.slot for worker in task.workers] == [0, 0, 1, 1]
    assert "The Zone (2017 film)" in slot_titles(task, 0)
    assert "Denys Arbour" in slot_titles(task, 1)
    assert task.required_units == ("p1", "p0")
    assert task.source_ids == ("The Zone (2017 film)", "Denys Arbour")


def test_musique_task_has_four_by_three_workers_and_single_hop_sources(tmp_path: Path) -> None:
    (task,) = musique(tmp_path, [musique_record()]).tasks
    assert [worker.slot for worker in task.workers] == [0, 0, 0, 0, 1, 1, 1]
    assert "The Zone" in slot_titles(task, 0)
    assert "Quillport" in slot_titles(task, 1)
    assert task.source_ids == ("11", "22")
    assert task.required_units == ("p1", "p0")
    assert task.aliases == ("O. Venn",)


def test_gold_workers_share_a_component_and_each_distractor_has_its_own(tmp_path: Path) -> None:
    (task,) = musique(tmp_path, [musique_record()]).tasks
    gold = [w for w in task.workers if w.passages[0].unit_id in task.required_units]
    others = [w for w in task.workers if w not in gold]
    assert {w.component_id for w in gold} == {GOLD_COMPONENT}
    assert len({w.component_id for w in others}) == len(others) == 5


def test_copy_of_a_supporting_paragraph_is_never_a_distractor(tmp_path: Path) -> None:
    record = musique_record()
    record["paragraphs"][2] |= {"paragraph_text": record["paragraphs"][0]["paragraph_text"]}
    (task,) = musique(tmp_path, [record]).tasks
    texts = [worker.passages[0].sentences for worker in task.workers]
    assert len(set(texts)) == len(texts) == 7


def test_paragraph_without_text_is_never_a_distractor(tmp_path: Path) -> None:
    record = musique_record()
    record["paragraphs"][3] |= {"paragraph_text": " "}
    (task,) = musique(tmp_path, [record]).tasks
    assert all(worker.passages[0].sentences for worker in task.workers)


def test_record_with_too_few_paragraphs_is_counted_out(tmp_path: Path) -> None:
    record = hotpot_record()
    record["context"] = record["context"][:2]
    inventory = hotpot(tmp_path, [record, hotpot_record("h2")])
    assert (inventory.total, len(inventory.tasks), inventory.dropped) == (2, 1, {"too_few_paragraphs": 1})


def test_every_record_is_kept_or_dropped_for_one_reason(tmp_path: Path) -> None:
    records = [
        hotpot_record("kept"),
        hotpot_record("comparison", type="comparison"),
        hotpot_record("tie", question="Which Quebecois town is it?"),
        hotpot_record("one", supporting_facts=[["Denys Arbour", 0], ["Denys Arbour", 1]]),
    ]
    inventory = hotpot(tmp_path, records)
    assert inventory.dropped == {
        "hop_order_undecided": 1,
        "not_two_supporting_paragraphs": 1,
        "type_comparison": 1,
    }
    assert inventory.total == len(inventory.tasks) + sum(inventory.dropped.values())


def test_musique_counts_other_hop_numbers_and_unanswerable_questions_out(tmp_path: Path) -> None:
    three = musique_record("3hop1__1_2_3")
    three["question_decomposition"] = [*three["question_decomposition"], three["question_decomposition"][0]]
    inventory = musique(tmp_path, [musique_record(), three, musique_record("x", answerable=False)])
    assert inventory.dropped == {"hops_3": 1, "unanswerable": 1}


def test_wikihop_keeps_chains_with_a_context(tmp_path: Path) -> None:
    records = [
        hotpot_record("a", type="compositional", level=None),
        hotpot_record("b", type="inference"),
        hotpot_record("c", type="bridge_comparison"),
        hotpot_record("d", type="inference", context=None),
    ]
    source = hotpot_config(write_lines(tmp_path / "wiki.json", records)).source
    inventory = WikiMultihop(WikiMultihopConfig(source=source)).load()
    assert [task.original_id for task in inventory.tasks] == ["a", "b"]
    assert inventory.tasks[0].tier == "compositional"
    assert inventory.dropped == {"no_context": 1, "type_bridge_comparison": 1}


def test_html_entities_in_titles_are_resolved_on_both_sides(tmp_path: Path) -> None:
    record = hotpot_record()
    record["context"][0][0] = "Arbour &amp; Sons"
    record["supporting_facts"][0][0] = "Arbour & Sons"
    (task,) = hotpot(tmp_path, [record]).tasks
    assert "Arbour & Sons" in slot_titles(task, 1)


@pytest.mark.parametrize(
    ("title", "question", "share", "verbatim"),
    [
        ("The Zone (2017 film)", "Who directed The Zone?", 1.0, 1.0),
        ("2010 UCF Knights team", "Which season did the UCF Knights play?", 0.5, 0.0),
        ("Denys Arbour", "Who directed The Zone?", 0.0, 0.0),
        ("The Who", "Who sang with the who?", 1.0, 1.0),
    ],
)
def test_hop_rules_score_a_title_by_the_words_the_question_names(
    title: str, question: str, share: float, verbatim: float
) -> None:
    assert title_share(title, question) == share
    assert title_verbatim(title, question) == verbatim


def test_hop_order_does_not_depend_on_the_order_of_the_supporting_facts(tmp_path: Path) -> None:
    record = hotpot_record()
    turned = hotpot_record(supporting_facts=record["supporting_facts"][::-1])
    assert hotpot(tmp_path, [record]).tasks == hotpot(tmp_path, [turned]).tasks


@pytest.mark.parametrize("rule", ["seeded", "bm25"])
def test_dealing_is_fixed_by_the_declared_rule_and_seed(tmp_path: Path, rule: Any) -> None:
    one = musique(tmp_path, [musique_record()], slots=(3, 2), distractors=rule, seed=5)
    assert one == musique(tmp_path, [musique_record()], slots=(3, 2), distractors=rule, seed=5)


def test_another_seed_deals_other_distractors() -> None:
    passages = [Passage(f"p{n}", f"T{n}", (f"text {n}",)) for n in range(18)]
    orders = {tuple(p.unit_id for p in ranked("q", passages, "seeded", seed, "t")) for seed in range(10)}
    assert len(orders) == 10


def test_bm25_deals_the_paragraph_that_matches_the_question_first() -> None:
    passages = [Passage(f"p{n}", f"T{n}", (f"granite {n} quarry",)) for n in range(6)]
    passages[4] = Passage("p4", "Harbour", ("The old harbour lighthouse burned down.",))
    order = ranked("When did the harbour lighthouse burn?", passages, "bm25", 1, "t")
    assert order[0].unit_id == "p4"


def test_dealing_alternates_between_slots_and_stops_when_places_are_taken() -> None:
    passages = [Passage(f"p{n}", "", ()) for n in range(9)]
    hands = [[p.unit_id for p in hand] for hand in deal(passages, (3, 2))]
    assert hands == [["p0", "p2", "p4"], ["p1", "p3"]]


def test_topic_cards_have_equally_many_words_and_none_of_the_answer_or_title(tmp_path: Path) -> None:
    inventory = musique(tmp_path, [musique_record(), musique_record("2hop__33_44")], card="topics")
    for task in inventory.tasks:
        lists = [worker.card.partition("; topics: ")[2].split(", ") for worker in task.workers]
        assert len({len(words) for words in lists}) == 1
        assert all(words != [""] for words in lists)
        shown = {word for words in lists for word in words}
        assert not shown & {"orla", "venn"}
        for worker, words in zip(task.workers, lists, strict=True):
            assert worker.passages[0].title.lower() not in words


def test_answer_planted_in_a_passage_never_reaches_a_topic_card(tmp_path: Path) -> None:
    record = hotpot_record(answer="Zanzibarcanary Isle")
    record["context"][0][1].append("Zanzibarcanary isle is Zanzibarcanary.")
    (task,) = hotpot(tmp_path, [record], card="topics").tasks
    assert all("canary" not in worker.card and "isle" not in worker.card for worker in task.workers)


def test_title_card_is_the_title_alone(tmp_path: Path) -> None:
    (task,) = hotpot(tmp_path, [hotpot_record()]).tasks
    assert [worker.card for worker in task.workers] == [worker.passages[0].title for worker in task.workers]


def test_passage_with_too_few_words_gets_no_topic_card_when_others_are_left() -> None:
    gold = [Passage("p0", "A", ()), Passage("p1", "B", ())]
    others = [Passage(f"p{n}", "C", ()) for n in range(2, 5)]
    ranked_words = dict(
        zip((*gold, *others), [["a"] * 5, ["b"] * 4, ["c"], ["d"] * 4, ["e"] * 9], strict=True)
    )
    cards = topic_cards(gold, others, 2, ranked_words, 6)
    assert others[0] not in cards
    assert {card.count(",") + 1 for card in cards.values()} == {4}
    assert set(topic_cards(gold, others, 3, ranked_words, 6)) == {*gold, *others}


@pytest.mark.parametrize("card", ["title", "topics"])
def test_length_of_a_card_does_not_tell_the_gold_worker(tmp_path: Path, card: Any) -> None:
    records = [musique_record(f"2hop__{n}_{n}") for n in range(120)]
    for number, record in enumerate(records):
        for place, paragraph in enumerate(record["paragraphs"][2:]):
            paragraph["title"] += "x" * 4 * place
        record["paragraphs"][1]["title"] = "The Zone" + "!" * (9 + number % 3)
    tasks = musique(tmp_path, records, slots=(3, 2), card=card).tasks
    shortest = Counter(_is_extreme(task, 0, min) for task in tasks)
    longest = Counter(_is_extreme(task, 0, max) for task in tasks)
    three_standard_errors = 3 * (120 / 3 * 2 / 3) ** 0.5
    assert abs(shortest[True] - 40) <= three_standard_errors
    assert abs(longest[True] - 40) <= three_standard_errors


def _is_extreme(task: SourceTask, slot: int, extreme: Any) -> bool:
    lengths = {w.component_id: len(w.card) for w in task.workers if w.slot == slot}
    gold = lengths.pop(GOLD_COMPONENT)
    return gold not in lengths.values() and extreme(gold, *lengths.values()) == gold


@settings(deadline=None)
@given(st.lists(st.sampled_from(["Ada ran.", "It fell!", '"Why?"', "He (J.) sat.", "3 came."]), min_size=1))
def test_sentences_lose_no_text(parts: list[str]) -> None:
    text = " ".join(parts)
    assert " ".join(sentences(text)) == text


def test_sentences_end_at_a_full_stop_before_a_capital() -> None:
    assert sentences("J. Ada ran 3.5 miles. It fell! Did it? Yes.") == (
        "J. Ada ran 3.5 miles.",
        "It fell!",
        "Did it?",
        "Yes.",
    )


def test_inventory_survives_its_file(tmp_path: Path) -> None:
    inventory = musique(tmp_path, [musique_record(), musique_record("x", answerable=False)])
    write_inventory(tmp_path / "tasks.json", inventory)
    assert read_inventory(tmp_path / "tasks.json") == inventory
    first = (tmp_path / "tasks.json").read_bytes()
    write_inventory(tmp_path / "tasks.json", read_inventory(tmp_path / "tasks.json"))
    assert (tmp_path / "tasks.json").read_bytes() == first


def test_damaged_inventory_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text('{"tasks": [{"question": 3}], "total": 1}')
    with pytest.raises(InputError, match=r"tasks\.0"):
        read_inventory(tmp_path / "tasks.json")


def test_file_without_a_usable_record_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "hotpot.json", [hotpot_record(type="comparison")])
    with pytest.raises(InputError, match="at least one usable task"):
        load_inventory(hotpot_config(path))
