"""The policies of a study: the router section, one entry per policy name."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from routeaudit.config.base import Section
from routeaudit.config.models import LlamaCppModel, ModelConfig

InformationSetName = Literal["public", "outcome_supervised_public", "privileged"]

PUBLIC: InformationSetName = "public"
OUTCOME_SUPERVISED: InformationSetName = "outcome_supervised_public"
PRIVILEGED: InformationSetName = "privileged"


class _Seeded(Section):
    information: ClassVar[InformationSetName]

    seed: NonNegativeInt = 1
    """Seed of the router's own chance."""

    @property
    def information_set(self) -> InformationSetName:
        """What the fitting process may open, beside the public tables."""
        return self.information


class Random(_Seeded):
    """A legal team drawn uniformly."""

    information = PUBLIC
    kind: Literal["random"] = "random"
    """Kind of router."""


class AllWorkers(_Seeded):
    """The largest legal team."""

    information = PUBLIC
    kind: Literal["all_workers"] = "all_workers"
    """Kind of router."""


class BestFixed(_Seeded):
    """The set of workers with the best mean training outcome, for every task."""

    information = OUTCOME_SUPERVISED
    kind: Literal["best_fixed"] = "best_fixed"
    """Kind of router."""


class Bm25(_Seeded):
    """The team whose cards match the question best by BM25."""

    information = PUBLIC
    kind: Literal["bm25"] = "bm25"
    """Kind of router."""


class _Learned(_Seeded):
    information = OUTCOME_SUPERVISED

    inverse_penalty: PositiveFloat = 1.0
    """Inverse strength of the L2 penalty of the logistic regression on standardised features."""


class _Reader(_Learned):
    features: Literal["words", "dense"] = Field(default="words", exclude_if=lambda chosen: chosen == "words")
    """What text is measured by: shared `words` and their rarity; or these and the similarity of sentence
    vectors (`dense`), for which the packages of the extra `dense` must be installed."""
    # The default is left out of contracts, so that those sealed before this key came keep their digest.


class DirectSet(_Reader):
    """A logistic regression on features of the question and a team's joint text."""

    kind: Literal["direct_set"] = "direct_set"
    """Kind of router."""


class CalibratedGraph(_Learned):
    """Question-card and card-card scores propagated over the card graph, calibrated on training outcomes."""

    kind: Literal["calibrated_graph"] = "calibrated_graph"
    """Kind of router."""
    damping: Annotated[float, Field(ge=0, lt=1)] = 0.3
    """Share of a card's score that comes from its neighbours."""


class UnifiedCover(_Reader):
    """Calibrated local pair scores, then a partition decoder, then the best team inside the partition."""

    kind: Literal["unified_cover"] = "unified_cover"
    """Kind of router."""
    inverse_penalty: PositiveFloat = 0.1
    """Inverse strength of the L2 penalty of the logistic regression on standardised features."""
    labels: Literal["outcomes", "components"] = "outcomes"
    """What the local score learns from: training outcomes, or latent component labels (privileged)."""
    decoder: Literal["posterior", "assignment"] = "posterior"
    """All partitions weighted by their links' odds, or the one with most expected right links."""

    @property
    def information_set(self) -> InformationSetName:
        """Latent labels make it privileged."""
        return PRIVILEGED if self.labels == "components" else OUTCOME_SUPERVISED


class NoPartition(_Reader):
    """The local pair scores of `unified_cover` without a decoder: the attribution check."""

    kind: Literal["no_partition"] = "no_partition"
    """Kind of router."""
    inverse_penalty: PositiveFloat = 0.1
    """Inverse strength of the L2 penalty of the logistic regression on standardised features."""
    labels: Literal["outcomes", "components"] = "outcomes"
    """What the local score learns from: training outcomes, or latent component labels (privileged)."""

    @property
    def information_set(self) -> InformationSetName:
        """Latent labels make it privileged."""
        return PRIVILEGED if self.labels == "components" else OUTCOME_SUPERVISED


class LeaveOneOut(_Seeded):
    """Workers' marginal contributions, learned from training outcomes and added up."""

    information = OUTCOME_SUPERVISED
    kind: Literal["leave_one_out"] = "leave_one_out"
    """Kind of router."""
    penalty: PositiveFloat = 1.0
    """Strength of the L2 penalty of the ridge regression on scaled features."""


class LearnedValue(_Learned):
    """Predicted value of a team minus its cost."""

    kind: Literal["learned_value"] = "learned_value"
    """Kind of router."""
    cost_weight: NonNegativeFloat = 0.01
    """Outcome that one unit of cost must buy."""


class CardRetriever(_Seeded):
    """The cheapest team that holds most of the best-matching cards (ToolBench style)."""

    information = PUBLIC
    kind: Literal["card_retriever"] = "card_retriever"
    """Kind of router."""
    top_k: PositiveInt = 5
    """Cards retrieved."""


class PublicCapability(_Seeded):
    """The cheapest team with every worker whose card shares a word with the question."""

    information = PUBLIC
    kind: Literal["public_capability"] = "public_capability"
    """Kind of router."""


class Shortcut(_Learned):
    """An attacker that sees no words; where it beats chance, something public gives the answer away."""

    kind: Literal["shortcut"] = "shortcut"
    """Kind of router."""
    cue: Literal["ids", "order", "lengths", "card_sizes"]
    """What it sees: worker and team ids, places in the files and the canonical order, lengths of the
    question and of the cards, or sizes of the cards only."""


class ZeroShotLlm(_Seeded):
    """A language model ranks the legal teams from public text alone."""

    information = PUBLIC
    kind: Literal["zero_shot_llm"] = "zero_shot_llm"
    """Kind of router."""
    model: ModelConfig = LlamaCppModel()
    """The model that is asked."""
    instruction: str = (
        "Choose the team whose workers together hold the evidence that answers the question."
        " Rank the best teams, best first."
    )
    """What the model is told before each task."""
    ranked: PositiveInt = 1
    """Teams that it ranks; the first is the route."""
    max_tokens: PositiveInt = 32
    """Longest answer, in tokens."""


class UserFile(_Seeded):
    """A router of your own, in a Python file."""

    kind: Literal["user_file"] = "user_file"
    """Kind of router."""
    file: str
    """Python file; the only file of yours that the router can import or open."""
    class_name: str = "Router"
    """The class in it."""
    sees: InformationSetName = PUBLIC
    """What the router may open; must equal the class's own `information`."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the class."""

    @property
    def information_set(self) -> InformationSetName:
        """As declared by its owner."""
        return self.sees


class RouteTable(_Seeded):
    """Routes made elsewhere; nothing was confined, so they are never primary."""

    kind: Literal["route_table"] = "route_table"
    """Kind of router."""
    file: str
    """CSV or Parquet file with the columns policy, task_id, team_id and, if you like, score."""
    policy: str
    """Which policy's rows to take."""
    sees: InformationSetName = PUBLIC
    """What the makers of the table say they saw."""

    @property
    def information_set(self) -> InformationSetName:
        """As declared by its owner."""
        return self.sees


RouterConfig = Annotated[
    Random
    | AllWorkers
    | BestFixed
    | Bm25
    | CardRetriever
    | PublicCapability
    | DirectSet
    | LeaveOneOut
    | CalibratedGraph
    | UnifiedCover
    | NoPartition
    | LearnedValue
    | ZeroShotLlm
    | Shortcut
    | UserFile
    | RouteTable,
    Field(discriminator="kind"),
]
"""A policy's router."""
