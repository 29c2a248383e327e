"""RouterBench's zero-shot slices: eleven models, one row per question."""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.config.benchmarks import RouterBenchConfig
from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.cover.benchmarks.outcome_tables.tasks import cell_value, singles, table_task
from routeaudit.cover.benchmarks.sources import locate, read_rows

MODELS = (
    "WizardLM/WizardLM-13B-V1.2",
    "claude-instant-v1",
    "claude-v1",
    "claude-v2",
    "gpt-3.5-turbo-1106",
    "gpt-4-1106-preview",
    "meta/code-llama-instruct-34b-chat",
    "meta/llama-2-70b-chat",
    "mistralai/mistral-7b-chat",
    "mistralai/mixtral-8x7b-chat",
    "zero-one-ai/Yi-34B-Chat",
)
SECOND_ROW = "second_row_of_an_id"

Values = dict[str, float | None]


@dataclass(frozen=True)
class RouterBench:
    """Tasks from RouterBench's scores; the file holds no question text, so a task is named by its id.

    Some ids have two rows, each without the other's models. The fuller row is kept and its empty cells stay
    unobserved: the two rows may come from different prompts, so one never fills the other.
    """

    config: RouterBenchConfig

    def load(self) -> Inventory:
        """Read the file. Raises InputError for a score that is none."""
        rows = read_rows(locate(self.config.source), ("sample_id", "eval_name", *MODELS))
        fullest: dict[str, tuple[str, Values]] = {}
        for where, row in rows:
            values = {model: cell_value(row[model], f"{where}, key {model!r}") for model in MODELS}
            known = fullest.get(row["sample_id"])
            if known is None or _observed(values) > _observed(known[1]):
                fullest[row["sample_id"]] = (row["eval_name"], values)
        tasks = tuple(_task(sample, tier, values) for sample, (tier, values) in fullest.items())
        repeated = len(rows) - len(tasks)
        return Inventory(tasks, len(rows), {SECOND_ROW: repeated} if repeated else {})


def _observed(values: Values) -> int:
    return sum(value is not None for value in values.values())


def _task(sample_id: str, tier: str, values: Values) -> SourceTask:
    return table_task(sample_id, f"{tier} item {sample_id}", sample_id, singles(values), MODELS, tier)
