"""What a router is given: tasks to route, and training tasks with outcomes or labels where declared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView, read_rows
from routeaudit.errors import InputError
from routeaudit.tables.artifacts import OUTCOMES, PRIVATE_EVIDENCE, STATUS_MISSING


@dataclass(frozen=True)
class View:
    """What `route` sees.

    Parameters
    ----------
    tasks : the tasks to route
    corpus : every public task of the study, these among them, whose text may be counted (rarity of words)
    """

    tasks: Sequence[TaskView]
    corpus: Corpus


@dataclass(frozen=True)
class PrivateLabels:
    """Latent labels of the training tasks: per task, the component that each worker's evidence belongs to."""

    components: Mapping[str, Mapping[str, str | None]]


@dataclass(frozen=True)
class Training:
    """Material for `fit`.

    Parameters
    ----------
    tasks : training tasks, public side
    corpus : every public task of the study, the training tasks among them
    values : outcome in [0, 1] per task and team; empty for a public router
    groups : an opaque number per training task, equal where tasks share a source; for grouped inner folds
    seed : the router's own seed
    private : latent labels, only for a privileged router
    """

    tasks: Sequence[TaskView]
    corpus: Corpus
    values: Mapping[str, Mapping[str, float]]
    groups: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    private: PrivateLabels | None = None

    def outcomes(self, task: TaskView) -> npt.NDArray[np.float64]:
        """The task's outcomes in the order of its teams; NaN where a cell has none."""
        found = self.values.get(task.task_id, {})
        return np.array([found.get(team.team_id, np.nan) for team in task.teams])


def read_training(path: Path, endpoint: str, stack: str | None) -> dict[str, dict[str, float]]:
    """Mean outcome over replicates per task and team for one endpoint (and one stack, where several ran).

    Raises
    ------
    InputError : the table has no outcome of that endpoint and stack.
    """
    samples: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in read_rows(path, OUTCOMES):
        chosen = row["endpoint"] == endpoint and stack in (None, row["stack"])
        if chosen and row["status"] != STATUS_MISSING and row["value"] is not None:
            samples[row["task_id"], row["team_id"]].append(row["value"])
    if not samples:
        raise InputError(
            str(path),
            f"outcomes of endpoint {endpoint!r} and stack {stack or 'any'!r}",
            "none",
            "name an endpoint that the training cells were graded on",
        )
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for (task_id, team_id), found in samples.items():
        values[task_id][team_id] = sum(found) / len(found)
    return dict(values)


def read_labels(path: Path) -> PrivateLabels:
    """Latent component labels per task and worker from the private evidence table."""
    components: dict[str, dict[str, str | None]] = defaultdict(dict)
    for row in read_rows(path, PRIVATE_EVIDENCE):
        components[row["task_id"]][row["worker_id"]] = row["component_id"]
    return PrivateLabels(components)
