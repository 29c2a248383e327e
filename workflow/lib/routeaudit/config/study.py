"""The configuration of one study: the sections of its contract, and how the work is done."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from routeaudit.config.base import Section
from routeaudit.config.benchmarks import BenchmarkConfig
from routeaudit.config.family import FamilyConfig, ProductFamily
from routeaudit.config.inference import CoverageConfig, EndpointsConfig, StatsConfig, TestsConfig
from routeaudit.config.routers import RouterConfig
from routeaudit.config.split import AnySplit, SplitConfig
from routeaudit.config.stack import AnyStack, is_played


class ExecutionConfig(Section):
    """How the work is done; changes no result and is no part of the contract."""

    shards: int = Field(default=1, ge=1)
    """Independent jobs into which the requests of a phase are dealt."""
    toolsandbox_python: str | None = None
    """Python interpreter that can import `tool_sandbox`; needed by played stacks alone."""


class StudyConfig(Section):
    """Everything that is fixed before outcomes exist, and the execution section."""

    name: str
    """The study's name: its file in config/study and its folder in results."""
    description: str = ""
    """One or two sentences for the report."""
    benchmark: BenchmarkConfig
    """Where the tasks come from."""
    split: AnySplit = SplitConfig()
    """How tasks are divided: by source id, or by variant."""
    family: FamilyConfig = ProductFamily()
    """The legal teams and the budget."""
    stacks: dict[str, AnyStack] = {}
    """Downstream stacks by name; none for a study whose endpoints need no model."""
    routers: dict[str, RouterConfig]
    """The policies by name."""
    coverage: CoverageConfig = CoverageConfig()
    """Which cells are executed."""
    endpoints: EndpointsConfig = EndpointsConfig()
    """What is graded."""
    tests: TestsConfig = TestsConfig()
    """What is compared."""
    stats: StatsConfig = StatsConfig()
    """How intervals and p-values are computed."""
    execution: ExecutionConfig = ExecutionConfig()
    """How the work is done."""

    @model_validator(mode="after")
    def _tests_name_declared_policies(self) -> StudyConfig:
        named = {
            policy
            for contrast in (*self.tests.primary.values(), *self.tests.secondary.values())
            for policy in (contrast.policy, contrast.reference)
        } | {criterion.policy for criterion in self.tests.criteria.values()}
        unknown = sorted(named - set(self.routers))
        if unknown:
            raise ValueError(f"tests name policies that are no routers of this study: {', '.join(unknown)}")
        return self

    @model_validator(mode="after")
    def _stacks_are_of_one_kind(self) -> StudyConfig:
        if len({is_played(stack) for stack in self.stacks.values()}) > 1:
            raise ValueError("stacks must be all prompted or all played: they grade different endpoints")
        return self


def study_schema() -> dict[str, Any]:
    """The JSON schema of a study configuration."""
    return StudyConfig.model_json_schema()
