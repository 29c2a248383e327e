"""An outcome table in long form: one row per task and team."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from routeaudit.config.benchmarks import TableConfig
from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.cover.benchmarks.outcome_tables.tasks import Team, cell_value, table_task
from routeaudit.cover.benchmarks.sources import locate
from routeaudit.errors import InputError
from routeaudit.tables.foreign import Wanted, read_foreign, values

_WANTED = Wanted.of(("task_id", "team", "value"), ("question", "source_id"))


@dataclass(frozen=True)
class OutcomeTable:
    """Tasks from a table of (task_id, team, value); workers are all names that occur in teams.

    Without a question a task is known by its id; without a source id it is its own source.
    """

    config: TableConfig

    def load(self) -> Inventory:
        """Read the file. Raises InputError for a repeated cell or a value outside [0, 1]."""
        values: dict[str, dict[Team, float | None]] = defaultdict(dict)
        first: dict[str, dict[str, str]] = {}
        for where, row in _rows(locate(self.config.source)):
            team = _team(row["team"], where)
            if team in values[row["task_id"]]:
                raise InputError(
                    f"{where}, key 'team'",
                    "each task and team once",
                    f"{row['task_id']!r} with {row['team']!r} a second time",
                    "remove one of the two rows, or average replicates first",
                )
            values[row["task_id"]][team] = cell_value(row["value"], f"{where}, key 'value'")
            first.setdefault(row["task_id"], row)
        workers = sorted({name for cells in values.values() for team in cells for name in team})
        tasks = tuple(
            table_task(task, row.get("question") or task, row.get("source_id") or task, values[task], workers)
            for task, row in first.items()
        )
        return Inventory(tasks, len(tasks))


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows as text with their places; a missing cell is empty."""
    found = read_foreign(path, _WANTED)
    columns = {name: values.optional_text(found, name) for name in ("team", "value", "question", "source_id")}
    columns["task_id"] = values.identifiers(found, "task_id")
    for number, row in enumerate(pa.table(columns).to_pylist()):
        yield found.place(number), {name: cell or "" for name, cell in row.items()}


def _team(text: str, where: str) -> Team:
    names = [name.strip() for name in text.split("+")]
    if not all(names) or len(set(names)) != len(names):
        raise InputError(
            f"{where}, key 'team'",
            "different worker names joined by +",
            repr(text),
            "write a team as name+name",
        )
    return tuple(sorted(names))
