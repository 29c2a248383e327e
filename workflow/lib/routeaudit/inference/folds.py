"""Cross-fitting folds by source cluster, and the check that training and evaluation share no source."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from routeaudit.errors import InputError

Fit = Callable[[Sequence[str]], Callable[[str], str]]


def assign_folds(clusters: Mapping[str, str], folds: int = 5, seed: int = 0) -> dict[str, int]:
    """Fold of each task; a source cluster is never split.

    Clusters come in the order of SHA-256(seed, cluster) and each joins the fold that holds the fewest tasks
    so far: independent of task order, balanced in tasks.
    """
    sizes = Counter(clusters.values())
    if len(sizes) < folds:
        raise InputError(
            "cross-fitting",
            f"at least {folds} source clusters",
            f"{len(sizes)}",
            "use fewer folds or more sources",
        )
    loads = [0] * folds
    fold_of: dict[str, int] = {}
    for cluster in sorted(sizes, key=lambda name: _rank(seed, name)):
        fold = loads.index(min(loads))
        fold_of[cluster] = fold
        loads[fold] += sizes[cluster]
    return {task: fold_of[cluster] for task, cluster in clusters.items()}


def _rank(seed: int, cluster: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{cluster}".encode()).digest()


def cross_fitted_routes(folds: Mapping[str, int], fit: Fit) -> dict[str, str]:
    """Out-of-fold routes: ``fit(training tasks)`` returns a router, which routes only the tasks of the
    held-out fold.

    The value of these routes estimates the average of the fold policies, not of a policy refitted on all
    tasks, and is conditional on the fitted policies (Chernozhukov et al. 2018).
    """
    routes: dict[str, str] = {}
    for fold in sorted(set(folds.values())):
        router = fit(sorted(task for task, other in folds.items() if other != fold))
        routes |= {task: router(task) for task in sorted(folds) if folds[task] == fold}
    return routes


def require_disjoint_sources(training: Iterable[str], evaluation: Iterable[str]) -> None:
    """Raise InputError where a source id is in both splits."""
    shared = sorted(set(training) & set(evaluation))
    if shared:
        raise InputError(
            "split",
            "no source id in both training and evaluation",
            f"{len(shared)} shared, first {shared[0]!r}",
            "split by source cluster",
        )
