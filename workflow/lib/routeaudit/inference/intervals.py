"""Bootstrap and t intervals of a mean, as end points; statistics.md A5 and A6."""

from __future__ import annotations

import math

from scipy import special

from routeaudit.inference.laws import BootstrapLaw, EmpiricalLaw

Ends = tuple[float, float]


def percentile(law: BootstrapLaw, level: float) -> Ends:
    """Percentile interval."""
    tail = (1 - level) / 2
    return law.quantile(tail), law.quantile(1 - tail)


def expanded_percentile(law: BootstrapLaw, level: float, count: int) -> Ends:
    """Percentile interval at the widened tail Phi(sqrt(G/(G-1)) t_{G-1}) (Hesterberg 2015)."""
    quantile = float(special.stdtrit(count - 1, (1 - level) / 2))
    tail = float(special.ndtr(math.sqrt(count / (count - 1)) * quantile))
    return law.quantile(tail), law.quantile(1 - tail)


def bca(law: BootstrapLaw, mean: float, acceleration: float, level: float) -> Ends | None:
    """BCa interval (Efron 1987) with a closed-form acceleration; None where it is unstable."""
    share = law.mid_probability(mean)
    if not 0 < share < 1:
        return None
    z0 = float(special.ndtri(share))
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = z0 + float(special.ndtri(tail))
        denominator = 1 - acceleration * shifted
        if denominator <= 0:
            return None
        ends.append(law.quantile(float(special.ndtr(z0 + shifted / denominator))))
    return ends[0], ends[1]


def studentized(law: EmpiricalLaw, mean: float, error: float, level: float) -> Ends | None:
    """Bootstrap-t interval (Hall 1992) from sorted t replicates; None where a needed quantile is infinite."""
    tail = (1 - level) / 2
    low, high = law.quantile(tail), law.quantile(1 - tail)
    if math.isinf(low) or math.isinf(high):
        return None
    return mean - high * error, mean - low * error


def student_t(mean: float, error: float, degrees: int, level: float) -> Ends:
    """Mean +- t quantile times standard error."""
    half = float(special.stdtrit(degrees, (1 + level) / 2)) * error
    return mean - half, mean + half
