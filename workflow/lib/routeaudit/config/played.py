"""A stack that plays tasks out in ToolSandbox: who acts, with which world."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from routeaudit.config.base import Section
from routeaudit.config.models import ModelConfig, Sha256


class ScriptedRole(Section):
    """An oracle with allowed tools: it does what the milestones ask, as far as its tools permit.

    A milestone is attempted once every milestone before it in ToolSandbox's own graph was served; arguments
    come from the milestones. It is over-eager: where its tools permit, it does what a minefield punishes too.
    """

    kind: Literal["scripted"]
    """Which role this is."""


class ModelRole(Section):
    """A language model that chooses the next tool call or message, held to a schema of the tools it has."""

    kind: Literal["model"]
    """Which role this is."""
    model: ModelConfig
    """Who answers."""
    instruction: str = (
        "You are an assistant on a phone. Answer with one JSON object: the next tool call, or what you say "
        "to the user. Do not invent argument values."
    )
    """System message, before the tools."""
    max_tokens: int = Field(default=256, ge=1)
    """Longest answer of one turn, in tokens; an answer cut off ends the play as an invalid run."""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    """0 takes the most probable token."""
    seed: int = Field(default=0, ge=0)
    """Seed of the sampler."""


class PlayedStack(Section):
    """ToolSandbox plays each task with the tools of the selected families; its own evaluator grades it."""

    kind: Literal["toolsandbox"]
    """Which stack this is."""
    role: Annotated[ScriptedRole | ModelRole, Field(discriminator="kind")]
    """Who acts as the agent. The user is scripted: it ends the talk after the last message that is due."""
    sandbox_sha256: Sha256 | None = None
    """Digest that ToolSandbox's source files must have; None takes the installed ones."""
    replicates: int = Field(default=1, ge=1)
    """Independent repetitions; they differ only for a model at a temperature above 0."""
