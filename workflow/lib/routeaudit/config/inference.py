"""What is compared, by which rule, and how sure we want to be."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from routeaudit.config.base import Section

Endpoint = Literal[
    "evidence_complete",
    "evidence_coverage",
    "evidence_verified",
    "answer_exact",
    "answer_f1",
    "answer_verified",
    "safe_evidence_completion",
    "outcome",
]


class CoverageConfig(Section):
    """Which cells are executed, and so what can be identified."""

    regime: Literal["complete", "route_union", "sampled"] = "complete"
    """complete: every legal team (exact regret); route_union: the frozen policies' distinct teams
    (contrasts and union regret); sampled: precommitted draws (bounds)."""
    support: Literal["value", "contrast"] = "value"
    """Under route_union: `value` also executes cells on which all policies agree, so levels can be shown."""
    sampled_teams: int = Field(default=4, ge=1)
    """Under sampled: teams drawn per task before any outcome exists."""
    seed: int = 7
    """Seed of the precommitted draws."""


class EndpointsConfig(Section):
    """The outcomes that are graded; values lie in [0, 1]."""

    primary: Endpoint = "answer_verified"
    """The endpoint of the headline."""
    others: tuple[Endpoint, ...] = ()
    """Further endpoints, shown beside the primary one."""

    @property
    def all(self) -> tuple[Endpoint, ...]:
        """The primary endpoint first, then the others, each once."""
        return tuple(dict.fromkeys((self.primary, *self.others)))


class ContrastConfig(Section):
    """A comparison of two policies: mean value of `policy` minus mean value of `reference`."""

    policy: str
    """The policy that is expected to do better."""
    reference: str
    """The policy it is compared with."""
    endpoint: Endpoint | None = None
    """The endpoint compared; the study's primary one when left out."""


class CriterionConfig(Section):
    """A declared bar: the regret of `policy` is at most `at_most`."""

    policy: str
    """The policy held against the bar."""
    at_most: float = Field(ge=0, le=1)
    """The largest regret that passes."""
    endpoint: Endpoint | None = None
    """The endpoint; the study's primary one when left out."""


class TestsConfig(Section):
    """The frozen Holm family, the secondary contrasts and the criteria, by id."""

    primary: dict[str, ContrastConfig] = {}
    """Contrasts of the Holm family."""
    secondary: dict[str, ContrastConfig] = {}
    """Contrasts that are shown unadjusted and labelled so."""
    criteria: dict[str, CriterionConfig] = {}
    """Declared bars."""


class StatsConfig(Section):
    """How intervals and p-values are computed."""

    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """Level of tests; intervals have confidence 1 - alpha."""
    n_boot: int = Field(default=9999, ge=99)
    """Bootstrap resamples of the Monte Carlo engine; (n_boot + 1) * alpha should be whole."""
    engine: Literal["auto", "exact", "analytic", "mc"] = "auto"
    """auto takes the exact engine where outcomes are binary or lie on a lattice."""
    seed: int = 20261130
    """Seed of the resampling; the streams are also keyed by a digest of the inputs."""
    p_tail: Literal["resolved", "monte_carlo"] = "resolved"
    """resolved: where a Monte Carlo p is too coarse for its Holm family, the saddlepoint tail of the same
    test decides; monte_carlo: never, the rule of studies sealed before 2026-12-07."""
