"""Which teams are legal: the family section of a study."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from routeaudit.config.base import Section


class _Family(Section):
    worker_cost: float = Field(default=1.0, ge=0)
    """Cost of asking one worker; part of the public task."""
    budget_cap: float | None = Field(default=None, ge=0)
    """Most that a team may cost, part of the public task; without a number, the cost of the largest team."""


class ProductFamily(_Family):
    """One worker for each slot: every combination within the budget is a legal team."""

    kind: Literal["product"] = "product"
    """Which family this is."""
    slots: tuple[Annotated[int, Field(ge=1)], ...] = (2, 2)
    """Workers that compete for each slot; their product is the number of teams."""

    @property
    def largest_team(self) -> int:
        """Workers in the largest team."""
        return len(self.slots)


class SubsetFamily(_Family):
    """Every set of workers of an allowed size within the budget is a legal team."""

    kind: Literal["subsets"] = "subsets"
    """Which family this is."""
    min_size: int = Field(default=1, ge=1)
    """Fewest workers in a team."""
    max_size: int = Field(ge=1)
    """Most workers in a team."""

    @model_validator(mode="after")
    def _sizes_in_order(self) -> Self:
        if self.min_size > self.max_size:
            raise ValueError(f"min_size {self.min_size} is above max_size {self.max_size}")
        return self

    @property
    def largest_team(self) -> int:
        """Workers in the largest team."""
        return self.max_size


FamilyConfig = Annotated[ProductFamily | SubsetFamily, Field(discriminator="kind")]
