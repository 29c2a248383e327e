"""Configuration of a deliberation's problems: an invented world, or a file of questions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from routeaudit.config.base import Section
from routeaudit.config.models import Sha256


class TierRule(Section):
    """Where a problem's tier comes from; never from outcomes."""

    rule: Literal["none", "source", "question_length"] = "source"
    """No tier; what the source says of the problem (its difficulty level, subject or subset); or the length
    of the question."""
    cuts: tuple[int, ...] = (200, 400, 800)
    """Lengths in characters at which the next tier begins, under `question_length`."""

    @model_validator(mode="after")
    def _cuts_ascend(self) -> TierRule:
        if list(self.cuts) != sorted(set(self.cuts)):
            raise ValueError("cuts must ascend")
        return self


class WorldProblems(Section):
    """Questions about an invented world. Every agent holds notes of its own; the tier says how many of
    them hold the fact that answers the question."""

    kind: Literal["world"]
    """Which kind of problems."""
    n: int = Field(default=24, ge=1)
    """Number of problems."""
    seats: int = Field(default=3, ge=1)
    """Agents whose notes differ."""
    notes: int = Field(default=3, ge=2)
    """Facts that each agent holds."""
    options: int = Field(default=4, ge=2)
    """Answers offered in a multiple-choice question."""
    formats: tuple[Literal["choice", "short"], ...] = ("choice", "short")
    """Multiple choice or short answer, in turn."""
    knowers: tuple[int, ...] = (3, 2, 1, 2, 1, 0)
    """How many agents hold the answer, dealt to the problems in turn."""
    seed: int = Field(default=1, ge=0)
    """Seed of the world."""


class FileProblems(Section):
    """Problems from files of a published format."""

    kind: Literal["file"]
    """Which kind of problems."""
    format: Literal["olympiadbench", "math500", "labbench", "plain"]
    """OlympiadBench, AIME or AMC JSON lines; MATH-500 CSV; LAB-Bench JSON lines; or JSON lines with uid,
    question, answer and optionally options, aliases, tier, difficulty."""
    files: tuple[str, ...] = Field(min_length=1)
    """The files, relative to `data_dir`."""
    data_dir: str = "."
    """Folder of the files."""
    sha256: tuple[Sha256, ...] = ()
    """Digests that the files must have, in the order of `files`; none to take them as they are."""
    limit: int | None = Field(default=None, ge=1)
    """Take the first problems only, in the order of a seeded shuffle."""
    seed: int = Field(default=1, ge=0)
    """Seed of that shuffle and of the order of options."""
    tiers: TierRule = TierRule()
    """Tiers."""

    @model_validator(mode="after")
    def _a_digest_per_file(self) -> FileProblems:
        if self.sha256 and len(self.sha256) != len(self.files):
            raise ValueError("sha256 names one digest per file, or none")
        return self


ProblemsConfig = Annotated[WorldProblems | FileProblems, Field(discriminator="kind")]
