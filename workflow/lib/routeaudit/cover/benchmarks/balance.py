"""Distractors drawn so that the size of a card does not tell the gold worker from the others.

Benchmarks differ here: in HotpotQA the second hop's title is the shorter of two in 7 of 10 tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from routeaudit.cover.benchmarks.base import Passage
from routeaudit.cover.seeding import seeded_key

_SLACK = 0.01

Floats = npt.NDArray[np.float64]
Sizes = tuple[float, ...]


@dataclass(frozen=True)
class Pool:
    """One task's choice for one slot.

    Parameters
    ----------
    gold : size of the gold card, each measure in standard deviations over all cards
    candidates : (passage, size of its card), in the order of dealing
    """

    task_id: str
    gold: Sizes
    candidates: tuple[tuple[Passage, Sizes], ...]


def card_sizes(cards: Sequence[str]) -> list[Sizes]:
    """Characters and words of each card, in standard deviations over all of them."""
    counts = np.array([[len(card), len(card.split())] for card in cards], dtype=np.float64)
    spread = counts.std(axis=0)
    return [tuple(row) for row in (counts / np.where(spread > 0, spread, 1.0)).tolist()]


def balanced_hand(pool: Pool, places: int, seed: int, slot: int, preference: float = 0.0) -> list[Passage]:
    """Draw `places` distractors among whose cards the gold one has no place of its own by size.

    One distractor's expected size is the gold card's. Several would leave the gold card in their middle, so
    their mean is moved by as much as a candidate drawn at random lies off the mean of all: then gold and
    distractors scatter alike about a centre that is none of them.

    The draw depends on (seed, slot, task) only. Were tasks balanced against each other, an attacker's
    training tasks would tell of its test tasks.
    """
    sizes = np.array([size for _, size in pool.candidates])
    wanted = np.array(pool.gold)
    if places > 1:
        wanted = wanted + sizes.mean(axis=0) - sizes[int(_fraction(seed, "centre", slot, pool) * len(sizes))]
    hands = list(combinations(range(len(sizes)), places))
    chances = hand_chances(sizes, hands, wanted, preference)
    drawn = int(np.searchsorted(np.cumsum(chances), _fraction(seed, "hand", slot, pool), side="right"))
    return [pool.candidates[place][0] for place in hands[min(drawn, len(hands) - 1)]]


def hand_chances(
    sizes: Floats, hands: Sequence[tuple[int, ...]], wanted: Floats, preference: float = 0.0
) -> Floats:
    """Chance of each hand (H,) by entropy balancing (Hainmueller 2012), within one task.

    The chances closest to the prior, in Kullback-Leibler divergence, whose expected mean size is `wanted`; a
    quadratic slack leaves a rest where no mixture of hands reaches it. The prior is uniform, or with a
    `preference` falls by that much, in logarithms, with each place in the order of dealing.

    Parameters
    ----------
    sizes : (N, M) of the candidates, in the order of dealing
    hands : places of the candidates in each hand
    wanted : (M,)
    """
    places = np.array(hands, dtype=np.intp).reshape(len(hands), -1)
    prior = -preference * places.sum(axis=1).astype(np.float64)
    excess = sizes[places].mean(axis=1) - wanted

    tilt = _tilt(prior, excess)
    chances: Floats = special.softmax(prior + excess @ tilt)
    return chances


def _tilt(prior: Floats, excess: Floats) -> Floats:
    """Where the dual, log sum exp(prior + excess @ tilt) plus slack, is least; smooth and strictly convex."""

    def slope(tilt: Floats) -> Floats:
        moved: Floats = special.softmax(prior + excess @ tilt) @ excess + _SLACK * tilt
        return moved

    def curvature(tilt: Floats) -> Floats:
        chances = special.softmax(prior + excess @ tilt)
        centred = excess - chances @ excess
        matrix: Floats = (centred * chances[:, None]).T @ centred + _SLACK * np.eye(len(tilt))
        return matrix

    found: Floats = optimize.root(slope, np.zeros(excess.shape[1]), jac=curvature).x
    return found


def _fraction(seed: int, purpose: str, slot: int, pool: Pool) -> float:
    """A number in [0, 1) that depends on what is drawn for which task, and on the seed."""
    return int(seeded_key(seed, purpose, slot, pool.task_id)[:13], 16) / 16**13
