"""Cross-fitting folds over problems, stratified by tier (statistics A14)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from routeaudit.deliberation.arrays import IntArray
from routeaudit.errors import InputError


def problem_folds(problems: Sequence[str], tiers: Sequence[str], n_folds: int, seed: int) -> IntArray:
    """Fold of each problem, (G,): no problem is in two folds and every tier is spread over all of them.

    Within a tier the problems are ordered by a seeded hash and dealt in turn; the first fold moves on by one
    per tier, so that tiers of two problems do not all begin in fold 0. Row order has no influence.

    Raises
    ------
    InputError : fewer problems than folds
    """
    if len(problems) < n_folds:
        raise InputError(
            "cross-fitting folds",
            f"at least {n_folds} problems",
            f"{len(problems)}",
            "lower the number of folds or add problems",
        )
    by_tier: dict[str, list[int]] = defaultdict(list)
    for index, tier in enumerate(tiers):
        by_tier[tier].append(index)
    folds = np.empty(len(problems), dtype=np.int64)
    for start, tier in enumerate(sorted(by_tier)):
        dealt = sorted(by_tier[tier], key=lambda index: _hash(seed, problems[index]))
        folds[dealt] = (start + np.arange(len(dealt))) % n_folds
    return folds


def _hash(seed: int, problem: str) -> str:
    return hashlib.sha256(f"{seed}|{problem}".encode()).hexdigest()
