"""The router: from the polls of one turn to its speaker. It sees polls only."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from routeaudit.config.deliberation import RoutingConfig
from routeaudit.deliberation.protocol.confidence import SCALE


@dataclass(frozen=True)
class Offer:
    """What the router sees of one poll. `answer` is a normal form; None where the poll offers no
    candidate."""

    agent: str
    score: float | None
    answer: str | None

    @property
    def rank(self) -> float:
        """The score; a poll without one sorts below every score."""
        return -math.inf if self.score is None else self.score

    @property
    def valid(self) -> bool:
        return self.answer is not None and self.score is not None and 0 <= self.score <= SCALE


@dataclass(frozen=True)
class Occasion:
    """Which turn it is: its number in the whole deliberation and a name for the generator of draws."""

    name: str
    number: int


def select(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
    """The offer whose agent speaks. Rules that draw depend on the seed and the occasion only.

    Rules over valid offers fall back to the first-seen argmax of all where none is valid.
    """
    return _RULES[config.rule](offers, occasion, config)


def _argmax(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
    return max(offers, key=lambda offer: offer.rank)


def _round_robin(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
    return offers[occasion.number % len(offers)]


def _draw(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
    return random.Random(f"{config.seed}|{config.rule}|{occasion.name}").choice(list(offers))


def _of_valid(rule: Callable[[Sequence[Offer], Occasion, RoutingConfig], Offer]) -> _Rule:
    def chosen(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
        valid = [offer for offer in offers if offer.valid]
        return rule(valid, occasion, config) if valid else _argmax(offers, occasion, config)

    return chosen


def _tie_random(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
    top = max(offer.rank for offer in offers)
    return _draw([offer for offer in offers if offer.rank == top], occasion, config)


def _best_cluster(weight: Callable[[Offer], float]) -> _Rule:
    """The highest score, first seen, in the heaviest cluster of equal answers; equal clusters are drawn
    from."""

    def chosen(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
        weights: dict[str | None, float] = {}
        for offer in offers:
            weights[offer.answer] = weights.get(offer.answer, 0.0) + weight(offer)
        top = max(weights.values())
        leaders = [
            _argmax([o for o in offers if o.answer == a], occasion, config)
            for a in weights
            if weights[a] == top
        ]
        return leaders[0] if len(leaders) == 1 else _draw(leaders, occasion, config)

    return chosen


def features(offer: Offer, offers: Sequence[Offer], occasion: Occasion) -> Mapping[str, float]:
    """What the learned rule knows of an offer: its score (0 to 1), how many agents tie with it and the
    share of valid offers that give its answer, the number of the turn, and the agent."""
    valid = [other for other in offers if other.valid]
    return {
        "intercept": 1.0,
        "score": (offer.score or 0.0) / SCALE,
        "ties": float(sum(other.score == offer.score for other in valid) - 1),
        "agreement": sum(other.answer == offer.answer for other in valid) / max(len(valid), 1),
        "turn": float(occasion.number),
        f"agent:{offer.agent}": 1.0,
    }


def _learned(offers: Sequence[Offer], occasion: Occasion, config: RoutingConfig) -> Offer:
    def logit(offer: Offer) -> float:
        known = features(offer, offers, occasion)
        return sum(weight * known.get(name, 0.0) for name, weight in config.weights.items())

    return max(offers, key=logit)


_Rule = Callable[[Sequence[Offer], Occasion, RoutingConfig], Offer]
_RULES: Mapping[str, _Rule] = {
    "confidence_argmax": _argmax,
    "tie_random": _of_valid(_tie_random),
    "random_valid": _of_valid(_draw),
    "majority_cluster": _of_valid(_best_cluster(lambda offer: 1.0)),
    "confidence_weighted": _of_valid(_best_cluster(lambda offer: offer.rank)),
    "round_robin": _round_robin,
    "learned": _of_valid(_learned),
}
