"""How tasks are split: the split section of a study."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter

from routeaudit.config.base import Section


class SplitConfig(Section):
    """Whole components of tasks that share a source go to one side: source-disjoint."""

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


class VariantSplit(Section):
    """Whole variants go to one side, their sources to both: variant-disjoint, a shift of variants alone."""

    disjoint: Literal["variant"]
    """The rule that holds between the sides: no variant (a task's tier) lies on both."""
    heldout_variants: tuple[str, ...] = Field(min_length=1)
    """Variants whose tasks are held out; the tasks of all others are for training."""
    crossfit_folds: None = None
    """Variants are held out once; there are no folds."""
    near_duplicate: float = Field(default=0.8, gt=0, le=1)
    """Cosine (TF-IDF of character 3- to 5-grams) from which two questions count as near-duplicates."""
    seed: int = 1
    """Seed of the opaque ids."""


def _rule(split: Any) -> str:
    """The rule of a split; it stands in no key of a source-disjoint one."""
    named = split.get("disjoint") if isinstance(split, dict) else getattr(split, "disjoint", None)
    return "source" if named is None else "variant"


AnySplit = Annotated[
    Annotated[SplitConfig, Tag("source")] | Annotated[VariantSplit, Tag("variant")], Discriminator(_rule)
]
_SPLITS: TypeAdapter[SplitConfig | VariantSplit] = TypeAdapter(AnySplit)


def split_of(values: Any) -> SplitConfig | VariantSplit:
    """The split that plain values of a study's configuration declare."""
    return _SPLITS.validate_python(values)
