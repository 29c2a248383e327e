"""Configuration of a deliberation study: who deliberates on what, by which protocol, and who judges.

Every default of the protocol is the audited value of the paper's table 8; only models, problems and texts
differ.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from routeaudit.config.base import Section
from routeaudit.config.models import LlamaCppModel, ModelConfig
from routeaudit.config.problems import ProblemsConfig
from routeaudit.config.prompts import (
    APPROVE,
    EVALUATE,
    JUDGE,
    NOTE,
    POLL,
    REVISE,
    SOLVE,
    SPEAK,
    PromptConfig,
)
from routeaudit.errors import InputError

PollField = Literal["score", "reason", "intent", "candidate_answer", "has_candidate_answer"]
RouterName = Literal[
    "confidence_argmax",
    "tie_random",
    "random_valid",
    "majority_cluster",
    "confidence_weighted",
    "round_robin",
    "learned",
]
Mode = Literal["baseline_llm", "single_agent"]


class PoolConfig(Section):
    """The agents that deliberate."""

    model: ModelConfig = LlamaCppModel()
    """The model of every agent that `models` does not name."""
    size: int = Field(default=3, ge=1)
    """Number of agents."""
    models: tuple[ModelConfig, ...] = ()
    """Models dealt to the agents in turn; none means that all share `model`."""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    """Temperature of polls, speeches and notes."""
    seed: int = Field(default=0, ge=0)
    """Seed of the first agent's sampler, each next agent's is one higher; unused at temperature 0."""
    personas: tuple[str, ...] = ()
    """Sentences that open an agent's view of the problem, dealt in turn; none for homogeneous agents."""


class ScheduleConfig(Section):
    """How long a deliberation lasts."""

    max_rounds: int = Field(default=3, ge=1)
    """Outer rounds; a round ends with the evaluator, and a pass ends the deliberation."""
    discussion_turns: int = Field(default=4, ge=1)
    """Polls, each followed by one speech, in an outer round."""
    approval_rounds: int = Field(default=2, ge=0)
    """Votes on the reviewed candidate after the discussion."""


class PollConfig(Section):
    """The private structured poll."""

    prompt: PromptConfig = POLL
    """What an agent is asked."""
    fields: tuple[PollField, ...] = ("score", "reason", "intent", "candidate_answer", "has_candidate_answer")
    """Properties of the JSON reply, in this order."""
    confidence: Literal["verbalised", "levels", "answer_tokens"] = "verbalised"
    """A stated number from 0 to 100, one of `levels`, or 100 times the probability of the answer's tokens."""
    levels: tuple[int, ...] = (5, 25, 50, 75, 95)
    """Scores that may be stated under `levels`."""
    constrain_options: bool = True
    """Whether the schema holds a multiple-choice answer to the options."""

    @model_validator(mode="after")
    def _asks_for_an_answer(self) -> PollConfig:
        if "candidate_answer" not in self.fields:
            raise ValueError("fields must contain candidate_answer")
        if ("score" in self.fields) == (self.confidence == "answer_tokens"):
            raise ValueError("fields contain score unless confidence is answer_tokens")
        return self


class RoutingConfig(Section):
    """Who gets the turn."""

    rule: RouterName = "confidence_argmax"
    """The rule. `confidence_argmax` takes the highest score, the first seen among equals."""
    seed: int = Field(default=0, ge=0)
    """Seed of the rules that draw."""
    weights: dict[str, float] = {}
    """Coefficients of the `learned` rule by feature; `fit_weights` of
    routeaudit.deliberation.protocol.learned makes them."""

    @model_validator(mode="after")
    def _learned_has_weights(self) -> RoutingConfig:
        if (self.rule == "learned") != bool(self.weights):
            raise ValueError("weights belong to the rule learned, and it needs them")
        return self


class SpeakConfig(Section):
    """The public speech of the selected agent."""

    prompt: PromptConfig = SPEAK
    """What the selected agent is asked."""
    marker: str = Field(default="Answer:", min_length=1)
    """What precedes the answer in a speech without a box."""
    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    """Temperature of speeches; none means that of the pool."""


class NotesConfig(Section):
    """Deferred private notes of agents that did not get the turn."""

    enabled: bool = True
    """Whether they are written at all."""
    threshold: float = Field(default=65.0, ge=0.0, le=100.0)
    """Lowest poll score whose agent writes one."""
    prompt: PromptConfig = NOTE
    """What the agent is asked."""


class MemoryConfig(Section):
    """What of the public discussion later calls see."""

    regime: Literal["summary_plus_recent", "recent", "full", "none"] = "summary_plus_recent"
    """The last `recent_window` speeches in full, and of older ones a line with speaker and answer; only the
    recent ones; all of them; or nothing."""
    recent_window: int = Field(default=5, ge=1)
    """Number of recent speeches."""


class ApprovalConfig(Section):
    """How the reviewed candidate is approved."""

    prompt: PromptConfig = APPROVE
    """What each agent is asked."""
    rule: Literal["unanimous", "majority"] = "unanimous"
    """How many must approve."""
    update: Literal["majority_revision", "none"] = "majority_revision"
    """Whether an answer that more than half of the agents propose replaces the candidate."""


class ReferenceEvaluator(Section):
    """Compares the submitted answer with the reference by rule."""

    kind: Literal["reference"]
    """Which evaluator."""
    hint: str = "The submitted answer is wrong. Look again."
    """Feedback after a failure; the same for all, so it cannot leak."""


class ModelEvaluator(Section):
    """A model that sees the reference and returns PASS or FAIL, correctness and a hint."""

    kind: Literal["model"] = "model"
    """Which evaluator."""
    model: ModelConfig | None = None
    """The model; none means that of the first agent."""
    prompt: PromptConfig = EVALUATE
    """What it is asked."""
    withheld_hint: str = "The submitted answer is wrong. Look again."
    """Takes the place of a hint that contains the reference answer."""


class BaselinesConfig(Section):
    """Other ways to solve the same problems, for comparison."""

    modes: tuple[Mode, ...] = ()
    """`baseline_llm` solves once; `single_agent` revises its own solution."""
    solve: PromptConfig = SOLVE
    """The direct solution."""
    revise: PromptConfig = REVISE
    """A revision of one's own solution."""
    revisions: int = Field(default=3, ge=1)
    """Revisions of the single agent."""


class ProtocolConfig(Section):
    """The confidence-routed broadcast."""

    schedule: ScheduleConfig = ScheduleConfig()
    """Rounds and turns."""
    poll: PollConfig = PollConfig()
    """The poll."""
    routing: RoutingConfig = RoutingConfig()
    """The router."""
    speak: SpeakConfig = SpeakConfig()
    """The speech."""
    notes: NotesConfig = NotesConfig()
    """Private notes."""
    memory: MemoryConfig = MemoryConfig()
    """Public memory."""
    approval: ApprovalConfig = ApprovalConfig()
    """Approval rounds."""
    incumbent: Literal["persistent", "latest_spoken", "none"] = "persistent"
    """The first public answer, kept until an approval round revises it; the latest public answer; or none."""
    evaluator: Annotated[ReferenceEvaluator | ModelEvaluator, Field(discriminator="kind")] = ModelEvaluator()
    """Who decides that the submitted answer passes."""
    show_options: bool = True
    """Whether calls see the options of a multiple-choice question; a poll's schema may hold an answer to them
    either way."""
    replicates: int = Field(default=1, ge=1)
    """Independent deliberations on every problem; they differ only at a temperature above 0."""


class JudgeConfig(Section):
    """A model that decides whether two answers are equivalent where no rule can."""

    model: ModelConfig
    """The judging model."""
    prompt: PromptConfig = JUDGE
    """What it is asked."""


class TraceAuditConfig(Section):
    """How the trace is audited."""

    resamples: int = Field(default=9999, ge=1)
    """Resamples of problems for intervals."""
    permutations: int = Field(default=999, ge=1)
    """Repetitions of the permutation null."""
    seed: int = Field(default=20260818, ge=0)
    """Seed of intervals, folds and nulls."""


class DeliberationExecution(Section):
    """How the work is done; changes no result."""

    shards: int = Field(default=1, ge=1)
    """Independent jobs into which the problems of a cell are dealt."""


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]


class DeliberationStudy(Section):
    """A grid of actors and benchmarks under one protocol and one set of judges."""

    name: str
    """The study's name: its file in config/deliberation and its folder in results."""
    description: str = ""
    """One or two sentences for the report."""
    actors: dict[Name, PoolConfig] = Field(min_length=1)
    """Pools of agents by name."""
    benchmarks: dict[Name, ProblemsConfig] = Field(min_length=1)
    """Problem sets by name; every actor deliberates on each."""
    protocol: ProtocolConfig = ProtocolConfig()
    """The broadcast."""
    baselines: BaselinesConfig = BaselinesConfig()
    """Comparison modes."""
    judges: dict[Name, JudgeConfig] = {}
    """Equivalence judges by name. The first one labels every cell; the others are for agreement."""
    audit: TraceAuditConfig = TraceAuditConfig()
    """The audit."""
    execution: DeliberationExecution = DeliberationExecution()
    """How the work is done."""


def validated_deliberation(values: Any, study: str) -> dict[str, Any]:
    """`values` held against `DeliberationStudy`, as plain JSON values with every default filled in.

    Raises
    ------
    InputError : an unknown key or a value of the wrong type, named by its key
    """
    try:
        return DeliberationStudy.model_validate(values).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"deliberation study {study!r}, key {'.'.join(map(str, first['loc']))}",
            first["msg"],
            repr(first.get("input"))[:200],
            "compare with the models in routeaudit/config/deliberation.py",
        ) from None
