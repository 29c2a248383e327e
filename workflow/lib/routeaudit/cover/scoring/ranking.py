"""Policies in order of value: rank, rank interval, tier and how many others Holm separates each from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.ranking import BoolArray, RankIntervals, rank_intervals, tiers
from routeaudit.inference.units import FloatArray, IntArray

RANKED_FROM = 30
"""From this many contrasts on a ranking stands where a table of all pairs would."""

TIERS_MEAN = (
    "tier: Holm separates every policy of a tier from every policy of the tiers below it; two policies of "
    "one tier may be separated too: 'beats' and 'beaten by' count the separated policies below and above"
)
RANKS_MEAN = "rank interval: the ranks that the joint limits of all policies' differences allow, all at once"

Ends = tuple[float, float]
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A tested pair; ``gain`` is V(policy) - V(reference), ``p`` its Holm-adjusted p, NaN where untested."""

    policy: str
    reference: str
    gain: float
    p: float


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One policy. ``rank`` and ``tier`` are None where missing cells leave its value unidentified.

    ``beats`` and ``beaten_by`` count the policies that Holm separates it from, below and above it.
    """

    policy: str
    rank: int | None
    value: float
    interval: Ends
    ranks: tuple[int, int]
    tier: int | None
    beats: int
    beaten_by: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "policy": self.policy,
            "rank": self.rank,
            "value": _known(self.value),
            "interval": [_known(end) for end in self.interval],
            "rank_interval": list(self.ranks),
            "tier": self.tier,
            "beats": self.beats,
            "beaten_by": self.beaten_by,
        }


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """All policies of one endpoint, best first, at confidence ``level``.

    ``pairs`` counts the tested pairs and ``separated`` those with a Holm-adjusted p of at most 1 - level.
    ``closest`` and ``widest`` are the smallest and the largest identified gains, read so that they are not
    negative; None where no pair is identified. ``as_close`` counts the pairs with the gain of ``closest``.
    """

    endpoint: str
    level: float
    standings: tuple[Standing, ...]
    pairs: int
    separated: int
    closest: Pair | None
    as_close: int
    widest: Pair | None

    @property
    def tiers(self) -> int:
        """How many tiers there are."""
        return max((standing.tier or 0 for standing in self.standings), default=0)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready mapping."""
        return {
            "endpoint": self.endpoint,
            "level": self.level,
            "standings": [standing.to_dict() for standing in self.standings],
            "pairs": self.pairs,
            "separated": self.separated,
            "closest": _told(self.closest),
            "as_close": self.as_close,
            "widest": _told(self.widest),
            "meaning": {"tier": TIERS_MEAN, "rank_interval": RANKS_MEAN},
        }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _told(pair: Pair | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return {"policy": pair.policy, "reference": pair.reference, "gain": pair.gain, "p": _known(pair.p)}


def rank_policies(
    endpoint: str,
    outcomes: Mapping[str, FloatArray],
    intervals: Mapping[str, Ends],
    pairs: Sequence[Pair],
    plan: InferencePlan,
    clusters: IntArray | None = None,
) -> Ranking:
    """Rank the policies of one endpoint.

    ``outcomes`` maps each policy to its outcome per task (T,), NaN where its cell was not observed; such a
    policy comes last, by the middle of its interval, may have any rank, and is in no tier. ``intervals`` are
    those of the values, ``pairs`` the tested pairs. See ``inference.ranking`` for rank intervals and tiers.
    """
    known = [policy for policy, values in outcomes.items() if not np.isnan(values).any()]
    ends = {policy: intervals.get(policy, (math.nan, math.nan)) for policy in outcomes}
    unknown = sorted(outcomes.keys() - set(known), key=lambda policy: (_low(ends[policy]), policy))
    found = rank_intervals(_stacked(outcomes, known), plan, clusters)
    order = np.argsort(found.rank, kind="stable")
    ordered = [known[i] for i in order] + unknown
    above = _separated(ordered, pairs, plan.alpha)
    standings = _standings(ordered[: len(known)], _reordered(found, order), above, outcomes, ends)
    standings += [_unranked(i, ordered, above, ends) for i in range(len(known), len(ordered))]
    identified = [_turned(pair) for pair in pairs if math.isfinite(pair.gain)]
    closest = min(identified, key=lambda pair: pair.gain, default=None)
    return Ranking(
        endpoint=endpoint,
        level=plan.level,
        standings=tuple(standings),
        pairs=len(pairs),
        separated=int(above.sum()),
        closest=closest,
        as_close=0 if closest is None else sum(pair.gain <= closest.gain + _ROUNDING for pair in identified),
        widest=max(identified, key=lambda pair: pair.gain, default=None),
    )


def _low(ends: Ends) -> float:
    """Orders unidentified values from high to low; those without an interval come last."""
    return math.inf if math.isnan(sum(ends)) else -sum(ends)


def _stacked(outcomes: Mapping[str, FloatArray], known: Sequence[str]) -> FloatArray:
    tasks = len(next(iter(outcomes.values()), ()))
    return np.stack([outcomes[policy] for policy in known], axis=1) if known else np.empty((tasks, 0))


def _reordered(found: RankIntervals, order: IntArray) -> RankIntervals:
    return RankIntervals(
        found.rank[order], found.lower[order], found.upper[order], found.critical, found.level
    )


def _separated(ordered: Sequence[str], pairs: Sequence[Pair], alpha: float) -> BoolArray:
    """Whether Holm separates i as the better one from j, (P, P)."""
    place = {policy: i for i, policy in enumerate(ordered)}
    above = np.zeros((len(ordered), len(ordered)), dtype=bool)
    for pair in map(_turned, pairs):
        if pair.p <= alpha:
            above[place[pair.policy], place[pair.reference]] = True
    return above


def _turned(pair: Pair) -> Pair:
    """The pair read so that its gain is not negative."""
    if not pair.gain < 0:
        return pair
    return Pair(policy=pair.reference, reference=pair.policy, gain=-pair.gain, p=pair.p)


def _standings(
    known: Sequence[str],
    found: RankIntervals,
    above: BoolArray,
    outcomes: Mapping[str, FloatArray],
    intervals: Mapping[str, Ends],
) -> list[Standing]:
    """Ranked policies; each unidentified one, later in ``above``, may still stand above any of them."""
    count = len(known)
    unknown = len(above) - count
    numbered = tiers(above[:count, :count] | above[:count, :count].T)
    return [
        Standing(
            policy=policy,
            rank=int(found.rank[i]),
            value=float(outcomes[policy].mean()),
            interval=intervals[policy],
            ranks=(int(found.lower[i]), int(found.upper[i]) + unknown),
            tier=int(numbered[i]),
            beats=int(above[i].sum()),
            beaten_by=int(above[:, i].sum()),
        )
        for i, policy in enumerate(known)
    ]


def _unranked(
    place: int, ordered: Sequence[str], above: BoolArray, intervals: Mapping[str, Ends]
) -> Standing:
    return Standing(
        policy=ordered[place],
        rank=None,
        value=math.nan,
        interval=intervals[ordered[place]],
        ranks=(1, len(ordered)),
        tier=None,
        beats=int(above[place].sum()),
        beaten_by=int(above[:, place].sum()),
    )
