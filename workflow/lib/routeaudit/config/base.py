"""The base of every configuration model: immutable, and unknown keys are errors."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the configuration. Every field has a description; it becomes the schema's text."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
