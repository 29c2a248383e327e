"""Power and sample size of paired comparisons: how many tasks a regret gap needs."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

_SEARCH_LIMIT = 1_000_000


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    return float(special.ndtri(1 - alpha / 2)), float(special.ndtri(power))


def tasks_for_gap(
    gap: float,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    tests: int = 1,
    design_effect: float = 1.0,
) -> int:
    """Tasks for a two-sided test of a mean difference ``gap`` whose per-task standard deviation is ``sd``.

    ``tests`` divides alpha (the hardest step of Holm); ``design_effect`` is the variance inflation of shared
    sources.
    """
    z_alpha, z_beta = _quantiles(alpha / tests, power)
    return math.ceil(design_effect * ((z_alpha + z_beta) * sd / gap) ** 2)


def detectable_gap(
    tasks: int, sd: float, *, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> float:
    """Smallest gap found with ``power`` from ``tasks`` tasks; 2.8 standard errors at the defaults."""
    z_alpha, z_beta = _quantiles(alpha / tests, power)
    return (z_alpha + z_beta) * sd / math.sqrt(tasks)


def mcnemar_power(tasks: int, wins: float, losses: float, alpha: float = 0.05) -> float:
    """Exact power of the exact McNemar test where a task is a win or a loss with the given probabilities."""
    discordant = wins + losses
    counts = np.arange(tasks + 1)
    weight = np.diff(special.bdtr(counts, tasks, discordant), prepend=0.0)
    worth = np.flatnonzero(weight > 1e-12)
    return float(sum(weight[n] * _rejection(int(n), wins / discordant, alpha) for n in worth))


def _rejection(discordant: int, share: float, alpha: float) -> float:
    """Probability that b ~ Binomial(discordant, share) falls in the two-sided rejection region."""
    tails = 2 * special.bdtr(np.arange(discordant // 2 + 1), discordant, 0.5)
    critical = int(np.searchsorted(tails, alpha, side="right")) - 1
    if critical < 0:
        return 0.0
    low = special.bdtr(critical, discordant, share)
    return float(low + special.bdtrc(discordant - critical - 1, discordant, share))


def tasks_for_binary_gap(
    wins: float, losses: float, *, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> int:
    """Smallest T (to within 1 %, at least 1) from which exact McNemar has ``power``; ``wins`` != ``losses``.

    Starts from the normal formula for the gap and moves up until the exact power is reached.
    """
    gap = abs(wins - losses)
    sd = math.sqrt(wins + losses - gap**2)
    tasks = tasks_for_gap(gap, sd, power=power, alpha=alpha, tests=tests)
    while tasks < _SEARCH_LIMIT and mcnemar_power(tasks, wins, losses, alpha / tests) < power:
        tasks += max(1, tasks // 100)
    return tasks
