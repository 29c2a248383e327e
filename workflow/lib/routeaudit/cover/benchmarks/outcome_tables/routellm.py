"""RouteLLM's evaluation tables: a strong and a weak model, correct or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from routeaudit.config.benchmarks import RouteLLMConfig
from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.cover.benchmarks.multihop import check_question
from routeaudit.cover.benchmarks.outcome_tables.tasks import cell_value, singles, table_task
from routeaudit.cover.benchmarks.sources import locate_all, read_rows
from routeaudit.tables import text_digest

MODELS = ("gpt-4-1106-preview", "mistralai/Mixtral-8x7B-Instruct-v0.1")


@dataclass(frozen=True)
class RouteLLM:
    """Tasks from RouteLLM's files; equal prompts share a source id, a task's tier is its file."""

    config: RouteLLMConfig

    def load(self) -> Inventory:
        """Read the files. Raises InputError for an outcome that is none."""
        tasks = tuple(task for path in locate_all(self.config.source) for task in _tasks(path))
        return Inventory(tasks, len(tasks))


def _tasks(path: Path) -> list[SourceTask]:
    rows = read_rows(path, ("prompt", *MODELS))
    return [_task(path.stem, number, where, row) for number, (where, row) in enumerate(rows)]


def _task(subject: str, number: int, where: str, row: dict[str, str]) -> SourceTask:
    check_question(row["prompt"], where)
    values = {model: cell_value(row[model], f"{where}, key {model!r}") for model in MODELS}
    source = f"prompt:{text_digest(row['prompt'])[:16]}"
    return table_task(f"{subject}:{number}", row["prompt"], source, singles(values), MODELS, subject)
