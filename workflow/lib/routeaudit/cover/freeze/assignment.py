"""Which tasks a router may learn from and which it routes, for one fit or for a cross-fit."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fit:
    """One fit: the training tasks, the tasks to route, the fold's number in a cross-fit."""

    train: tuple[str, ...]
    route: tuple[str, ...]
    fold: int | None = None


@dataclass(frozen=True)
class Assignment:
    """All fits of a study.

    Parameters
    ----------
    fits : one for a held-out study, one per fold for a cross-fit; no task is routed twice
    clusters : source component per task, for grouped inner folds; routers see opaque numbers only
    """

    fits: tuple[Fit, ...]
    clusters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def heldout(
        cls, train: tuple[str, ...], heldout: tuple[str, ...], clusters: Mapping[str, str]
    ) -> Assignment:
        """Fit on the training tasks, route the held-out ones."""
        return cls((Fit(train, heldout),), clusters)

    @property
    def routed(self) -> tuple[str, ...]:
        """Every task that gets a route, sorted."""
        return tuple(sorted(task for fit in self.fits for task in fit.route))

    def groups(self, fit: Fit) -> dict[str, int]:
        """A number per training task, equal where tasks share a source; it says nothing else."""
        numbers: dict[str, int] = {}
        return {
            task: numbers.setdefault(self.clusters.get(task, task), len(numbers))
            for task in sorted(fit.train)
        }


def assign_folds(clusters: Mapping[str, str], n_folds: int, seed: int) -> dict[str, int]:
    """Deal whole source components to folds: seeded hash order, each to the fold with fewest tasks so far.

    Parameters
    ----------
    clusters : task id -> source component
    """
    sizes = Counter(clusters.values())
    order = sorted(sizes, key=lambda cluster: hashlib.sha256(f"{seed}|{cluster}".encode()).digest())
    filled = [0] * n_folds
    fold_of = {}
    for cluster in order:
        fold_of[cluster] = filled.index(min(filled))
        filled[fold_of[cluster]] += sizes[cluster]
    return {task: fold_of[cluster] for task, cluster in clusters.items()}


def crossfit_assignment(clusters: Mapping[str, str], n_folds: int, seed: int) -> Assignment:
    """Cross-fit over source components: every task is routed by a fit that saw no task of its component."""
    folds = assign_folds(clusters, n_folds, seed)
    tasks = sorted(folds)
    fits = tuple(
        Fit(
            tuple(task for task in tasks if folds[task] != fold),
            tuple(task for task in tasks if folds[task] == fold),
            fold,
        )
        for fold in sorted(set(folds.values()))
    )
    return Assignment(fits, clusters)
