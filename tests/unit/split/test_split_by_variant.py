"""A variant-disjoint split: variants lie on one side, their sources on both, as the study declares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from routeaudit.config.split import SplitConfig, VariantSplit, split_of
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceTask, SourceWorker
from routeaudit.cover.split.assign import split_tasks
from routeaudit.cover.split.disjoint import check_variants
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import INDEX_TASKS, SPLIT_HELDOUT, SPLIT_TRAIN


def inventory() -> Inventory:
    worker = SourceWorker("card", (Passage("p", "Title", ("Text.",)),), slot=0, name="w")
    tasks = tuple(
        SourceTask(f"{base}_{tier}", f"{base}?", "", (), (base,), ("p",), (worker,), tier)
        for base in ("wifi", "mail", "milk")
        for tier in ("plain", "few", "all")
    )
    return Inventory(tasks, len(tasks))


def variant_split(*heldout: str) -> VariantSplit:
    return VariantSplit(disjoint="variant", heldout_variants=heldout)


def test_whole_variants_are_held_out_and_bases_stay_the_units_of_inference() -> None:
    rows = split_tasks(inventory(), variant_split("few", "all")).to_pylist()
    assert {row["tier"]: row["split"] for row in rows} == {
        "plain": SPLIT_TRAIN,
        "few": SPLIT_HELDOUT,
        "all": SPLIT_HELDOUT,
    }
    clusters = {row["original_id"].split("_")[0]: row["cluster_id"] for row in rows}
    assert len(set(clusters.values())) == 3
    assert all(row["cluster_id"] == clusters[row["original_id"].split("_")[0]] for row in rows)


@pytest.mark.parametrize(("heldout", "found"), [(("few", "new"), "new"), (("plain", "few", "all"), "plain")])
def test_unknown_variants_and_a_split_without_training_are_refused(
    heldout: tuple[str, ...], found: str
) -> None:
    with pytest.raises(InputError, match="some, not all") as error:
        split_tasks(inventory(), variant_split(*heldout))
    assert found in error.value.found


def test_a_benchmark_without_variants_cannot_be_split_by_them() -> None:
    whole = inventory()
    bare = replace(whole, tasks=tuple(replace(task, tier=None) for task in whole.tasks))
    with pytest.raises(InputError, match="it has none"):
        split_tasks(bare, variant_split("few"))


def test_planted_variant_on_both_sides_is_refused() -> None:
    rows = split_tasks(inventory(), variant_split("few")).to_pylist()
    next(row for row in rows if row["split"] == SPLIT_HELDOUT)["tier"] = "plain"
    with pytest.raises(InputError, match="no variant on both"):
        check_variants(INDEX_TASKS.from_rows(rows))


def test_the_rule_is_read_from_the_key_that_only_a_variant_split_has() -> None:
    assert split_of({"disjoint": "variant", "heldout_variants": ["few"]}) == variant_split("few")
    assert split_of({"n_heldout": 3}) == SplitConfig(n_heldout=3)
    assert "disjoint" not in SplitConfig().model_dump()
