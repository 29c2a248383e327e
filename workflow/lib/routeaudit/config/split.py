"""How tasks are split: the split section of a study."""

from __future__ import annotations

from pydantic import Field

from routeaudit.config.base import Section


class SplitConfig(Section):
    """Whole components of tasks that share a source go to one side."""

    n_heldout: int | None = Field(default=None, ge=0)
    """Held-out tasks wanted; without a number, `heldout_fraction` of the tasks."""
    n_train: int | None = Field(default=None, ge=0)
    """Training tasks wanted, the rest is unused; without a number, all tasks that are not held out."""
    heldout_fraction: float = Field(default=0.5, gt=0, le=1)
    """Share of the tasks held out where `n_heldout` is not given."""
    crossfit_folds: int | None = Field(default=None, ge=2)
    """With a number, every task is held out and routed by fits on the other folds' tasks; folds are made of
    whole components."""
    near_duplicate: float = Field(default=0.8, gt=0, le=1)
    """Cosine (TF-IDF of character 3- to 5-grams) from which two questions count as near-duplicates."""
    seed: int = 1
    """Seed of the opaque ids and of the order in which components are dealt."""
