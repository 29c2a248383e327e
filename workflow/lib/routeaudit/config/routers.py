"""The policies of a study: the router section, one entry per policy name."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat

from routeaudit.config.base import Section

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


class DirectSet(_Learned):
    """A logistic regression on features of the question and a team's joint text."""

    kind: Literal["direct_set"] = "direct_set"
    """Kind of router."""


class Shortcut(_Learned):
    """An attacker that sees no words; where it beats chance, something public gives the answer away."""

    kind: Literal["shortcut"] = "shortcut"
    """Kind of router."""
    cue: Literal["ids", "order", "lengths", "card_sizes"]
    """What it sees: worker and team ids, places in the files and the canonical order, lengths of the
    question and of the cards, or sizes of the cards only."""


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
    Random | AllWorkers | BestFixed | Bm25 | DirectSet | Shortcut | UserFile | RouteTable,
    Field(discriminator="kind"),
]
