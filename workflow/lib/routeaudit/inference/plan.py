"""How a study wants its inference done: level, resamples, seed, engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from routeaudit.inference.streams import Stream

Engine = Literal["auto", "exact", "analytic", "mc"]
Kind = Literal["difference", "rate"]
Tail = Literal["resolved", "monte_carlo"]
_RESOLUTION = 20
SUPPORT: dict[Kind, tuple[float, float]] = {"difference": (-1.0, 1.0), "rate": (0.0, 1.0)}


@dataclass(frozen=True, kw_only=True)
class InferencePlan:
    """Declared before outcomes.

    ``resamples`` = 9,999 makes (B + 1) * alpha an integer (statistics.md A5). ``digest`` is the contract
    digest where there is one; empty means the digest of the numbers themselves. ``engine`` "auto" is exact
    for lattice outcomes and mc otherwise; "exact" on values off any lattice is NaN with a reason.

    ``tests`` is the size m of the Holm family that the p-values enter. With ``tail`` "resolved" a Monte Carlo
    p with fewer than 20 replicates behind it is replaced by the saddlepoint tail wherever 1 / (B + 1) is
    coarser than ``resolution``; "monte_carlo" is the rule of studies that were sealed before that one.
    """

    level: float = 0.95
    resamples: int = 9_999
    seed: int = 0
    digest: str = ""
    engine: Engine = "auto"
    threads: int = 1
    tests: int = 1
    tail: Tail = "resolved"

    @property
    def alpha(self) -> float:
        """1 - level."""
        return 1 - self.level

    @property
    def resolution(self) -> float:
        """The smallest p that a test must be able to return: alpha / (20 m)."""
        return self.alpha / (_RESOLUTION * self.tests)

    @property
    def resolved(self) -> bool:
        """Whether the Monte Carlo p-values of this plan are fine enough for their family."""
        return 1 / (self.resamples + 1) <= self.resolution

    def stream(self, fallback_digest: str) -> Stream:
        """The random stream of this plan."""
        return Stream(self.seed, self.digest or fallback_digest)
