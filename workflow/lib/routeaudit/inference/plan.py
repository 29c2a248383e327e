"""How a study wants its inference done: level, resamples, seed, engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from routeaudit.inference.streams import Stream

Engine = Literal["auto", "exact", "analytic", "mc"]
Kind = Literal["difference", "rate"]
SUPPORT: dict[Kind, tuple[float, float]] = {"difference": (-1.0, 1.0), "rate": (0.0, 1.0)}


@dataclass(frozen=True, kw_only=True)
class InferencePlan:
    """Declared before outcomes.

    ``resamples`` = 9,999 makes (B + 1) * alpha an integer (statistics.md A5). ``digest`` is the contract
    digest where there is one; empty means the digest of the numbers themselves. ``engine`` "auto" is exact
    for lattice outcomes and mc otherwise; "exact" on values off any lattice is NaN with a reason.
    """

    level: float = 0.95
    resamples: int = 9_999
    seed: int = 0
    digest: str = ""
    engine: Engine = "auto"
    threads: int = 1

    @property
    def alpha(self) -> float:
        """1 - level."""
        return 1 - self.level

    def stream(self, fallback_digest: str) -> Stream:
        """The random stream of this plan."""
        return Stream(self.seed, self.digest or fallback_digest)
