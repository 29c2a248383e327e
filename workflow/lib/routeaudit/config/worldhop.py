"""Settings of the invented-world benchmark."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from routeaudit.config.base import Section

# The name lists hold this many distinguishing parts per kind (cover/benchmarks/worldhop/names.py).
LARGEST_REGION = 24


class WorldhopConfig(Section):
    """Two-hop questions over a seeded invented world; any number of them."""

    kind: Literal["worldhop"] = "worldhop"
    """Which benchmark this is."""
    seed: int = Field(default=1, ge=0)
    """Seed of the world, of its questions and of its distractors."""
    n_tasks: int = Field(default=48, ge=1)
    """Number of questions."""
    hop1_workers: int = Field(default=2, ge=2)
    """Workers that can fill the first place of a team: the gold one and distractors."""
    hop2_workers: int = Field(default=2, ge=2)
    """Workers that can fill the second place of a team: the gold one and distractors."""
    facts_per_worker: int = Field(default=1, ge=1)
    """Passages that each worker holds; from 2 on the second hop alone no longer decides the answer."""
    traits: int = Field(default=4, ge=2, le=8)
    """Distinct traits per kind of entity; questions and cards name traits, so fewer make cards vaguer."""
    largest_component: int = Field(default=3, ge=1, le=12)
    """Most questions in a connected component of shared source ids; sizes are uniform from 1 up to it."""

    @model_validator(mode="after")
    def _fits_name_lists(self) -> WorldhopConfig:
        if self.region_size > LARGEST_REGION:
            raise ValueError(
                f"facts_per_worker times the larger of hop1_workers and hop2_workers must be at most"
                f" {LARGEST_REGION - 2}"
            )
        return self

    @property
    def region_size(self) -> int:
        """Entities of each kind in a region: enough for all passages of a slot and two set aside."""
        return self.facts_per_worker * max(self.hop1_workers, self.hop2_workers) + 2
