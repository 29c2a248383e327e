"""The configuration of a campaign: several studies, one Holm family over tests that they declare."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError, model_validator

from routeaudit.config.base import Section
from routeaudit.errors import InputError


class CampaignTest(Section):
    """A contrast of the Holm family: one that a study declares as primary."""

    study: str
    """The study that tests it."""
    contrast: str
    """Its name among the study's primary contrasts."""


class CampaignCriterion(Section):
    """A bar that a study declares."""

    study: str
    """The study that holds a policy against it."""
    criterion: str
    """Its name among the study's criteria."""


class CampaignConfig(Section):
    """Studies that are sealed and reported together."""

    description: str = ""
    """One or two sentences about what the campaign asks."""
    studies: tuple[str, ...] = Field(min_length=1)
    """The studies, in the order of the page."""
    tests: dict[str, CampaignTest] = Field(min_length=1)
    """The Holm family over all studies."""
    criteria: dict[str, CampaignCriterion] = {}
    """The bars over all studies."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """Level of the family."""

    @model_validator(mode="after")
    def _parts_come_from_the_studies(self) -> CampaignConfig:
        named = {test.study for test in self.tests.values()} | {bar.study for bar in self.criteria.values()}
        unknown = sorted(named - set(self.studies))
        if unknown:
            raise ValueError(
                f"tests or criteria of studies that are not in the campaign: {', '.join(unknown)}"
            )
        return self


def validated_campaign(values: Any, where: str) -> CampaignConfig:
    """`values` as a campaign. Raises InputError with the key that is wrong."""
    try:
        return CampaignConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"{where}, key {'.'.join(map(str, first['loc'])) or '(the whole)'}",
            first["msg"],
            repr(first.get("input"))[:200],
            "config/campaign/paper.yaml is an example",
        ) from None
