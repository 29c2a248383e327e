"""What the two sides of a split still share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from sklearn.feature_extraction.text import TfidfVectorizer

from routeaudit.config.split import SplitConfig, VariantSplit
from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.cover.benchmarks.inventory import missing_cells
from routeaudit.tables.artifacts import SPLIT_HELDOUT, SPLIT_TRAIN, SPLIT_UNUSED

Pair = tuple[str, str]

_CHUNK = 512


def leakage_report(
    inventory: Inventory, index: pa.Table, config: SplitConfig | VariantSplit
) -> dict[str, Any]:
    """What a reader needs in order to judge the split, as JSON values.

    Pairs are (training task, held-out task) and are given as opaque ids: questions that are equal,
    equal after normalisation (case, punctuation, spaces), or near-duplicates by the declared threshold.
    `incomplete_tasks` names, by original id, tasks whose source has teams that nobody observed.
    """
    rows = index.to_pylist()
    task_of = {task.original_id: task for task in inventory.tasks}
    sides = {
        side: {row["task_id"]: task_of[row["original_id"]] for row in rows if row["split"] == side}
        for side in (SPLIT_TRAIN, SPLIT_HELDOUT)
    }
    train, heldout = sides[SPLIT_TRAIN], sides[SPLIT_HELDOUT]
    return {
        "records": {
            "total": inventory.total,
            "kept": len(inventory.tasks),
            "dropped": dict(inventory.dropped),
        },
        "tasks": dict(Counter(row["split"] for row in rows)) | {"total": len(rows)},
        "components": _component_counts(rows),
        "questions": _question_pairs(train, heldout, config.near_duplicate),
        "passages": _shared_passages(train, heldout),
        "incomplete_tasks": missing_cells(inventory),
    }


def _component_counts(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sizes = Counter(row["cluster_id"] for row in rows)
    return {
        "total": len(sizes),
        "by_split": {
            name: len({row["cluster_id"] for row in rows if row["split"] == name})
            for name in (SPLIT_TRAIN, SPLIT_HELDOUT, SPLIT_UNUSED)
        },
        "tasks_per_component": {str(size): count for size, count in sorted(Counter(sizes.values()).items())},
    }


def _question_pairs(
    train: dict[str, SourceTask], heldout: dict[str, SourceTask], threshold: float
) -> dict[str, Any]:
    left = {task_id: task.question for task_id, task in train.items()}
    right = {task_id: task.question for task_id, task in heldout.items()}
    near = near_duplicates(left, right, threshold)
    return {
        "exact": _equal_pairs(left, right),
        "normalised": _equal_pairs(_plain(left), _plain(right)),
        "near": [[a, b, similarity] for (a, b), similarity in near.items()],
        "near_threshold": threshold,
    }


def _equal_pairs(left: dict[str, str], right: dict[str, str]) -> list[list[str]]:
    holders: dict[str, list[str]] = defaultdict(list)
    for task_id, text in right.items():
        holders[text].append(task_id)
    return [[a, b] for a, text in left.items() for b in holders.get(text, ())]


def near_duplicates(left: dict[str, str], right: dict[str, str], threshold: float) -> dict[Pair, float]:
    """Pairs whose character 3- to 5-gram TF-IDF vectors have at least this cosine, with the cosine."""
    if not left or not right:
        return {}
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    vectors = vectorizer.fit_transform([*left.values(), *right.values()])
    ids, others = list(left), list(right)
    return {
        (ids[row], others[column]): similarity
        for row, column, similarity in _similar(vectors[: len(ids)], vectors[len(ids) :].T, threshold)
    }


def _similar(rows: Any, columns: Any, threshold: float) -> Iterator[tuple[int, int, float]]:
    for start in range(0, rows.shape[0], _CHUNK):
        cosine = (rows[start : start + _CHUNK] @ columns).tocoo()
        near = cosine.data >= threshold
        found = sorted(zip(cosine.row[near], cosine.col[near], cosine.data[near], strict=True))
        yield from ((start + int(row), int(column), round(float(value), 6)) for row, column, value in found)


def _shared_passages(train: dict[str, SourceTask], heldout: dict[str, SourceTask]) -> dict[str, int]:
    """Passages with equal sentences on both sides: required on both, and held by any worker on both.

    Workers that are the same in every task share theirs by design and are not counted.
    """
    return {
        "required_on_both_sides": len(_texts(train, True) & _texts(heldout, True)),
        "held_on_both_sides": len(_texts(train, False) & _texts(heldout, False)),
    }


def _texts(tasks: dict[str, SourceTask], required_only: bool) -> set[tuple[str, ...]]:
    return {
        passage.sentences
        for task in tasks.values()
        for worker in task.workers
        if worker.name is None
        for passage in worker.passages
        if not required_only or passage.unit_id in task.required_units
    }


def _plain(texts: dict[str, str]) -> dict[str, str]:
    return {key: " ".join(re.findall(r"\w+", text.lower())) for key, text in texts.items()}
