"""Closed-form intervals and tests for binary outcomes, in exact counts."""

from __future__ import annotations

import math

from scipy import special


def wilson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson score interval of k/n."""
    z = float(special.ndtri((1 + level) / 2))
    centre, scale = k + z * z / 2, n + z * z
    half = z * math.sqrt(k * (n - k) / n + z * z / 4)
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper-Pearson interval of k/n: never below its nominal coverage."""
    tail = (1 - level) / 2
    return one_sided_bounds(k, n, 1 - tail)


def one_sided_bounds(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact lower and upper confidence bounds of k/n, each of its own one-sided level."""
    lower = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, 1 - level))
    upper = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, level))
    return lower, upper


def agresti_min(wins: int, losses: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Agresti-Min (2005) interval of (wins - losses)/n, paired binary: Wald after adding .5 and 2."""
    b, c, total = wins + 0.5, losses + 0.5, n + 2.0
    half = float(special.ndtri((1 + level) / 2)) * math.sqrt(b + c - (b - c) ** 2 / total) / total
    centre = (b - c) / total
    return max(-1.0, centre - half), min(1.0, centre + half)


def mcnemar(wins: int, losses: int) -> float:
    """Exact two-sided McNemar p (McNemar 1947): binomial(wins + losses, 1/2); 1 without discordant tasks."""
    discordant = wins + losses
    if discordant == 0:
        return 1.0
    return min(1.0, 2 * float(special.bdtr(min(wins, losses), discordant, 0.5)))
