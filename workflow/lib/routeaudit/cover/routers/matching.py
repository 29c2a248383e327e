"""The partition of workers into pairs with the most expected right links, for families without slots."""

from __future__ import annotations

from functools import cache

from routeaudit.cover.routers.linear import Matrix
from routeaudit.errors import InputError

LARGEST_SEARCH = 16


def best_matching(weights: Matrix) -> frozenset[tuple[int, int]]:
    """Disjoint pairs (i < j) of largest total weight, by exact search over sets of workers left.

    Parameters
    ----------
    weights : symmetric, not negative; only the part above the diagonal is read

    Raises
    ------
    InputError : more than `LARGEST_SEARCH` workers.
    """
    if len(weights) > LARGEST_SEARCH:
        raise InputError(
            "family",
            f"at most {LARGEST_SEARCH} workers for an exact search",
            str(len(weights)),
            "use no_partition or calibrated_graph on larger families",
        )

    @cache
    def best(left: int) -> tuple[float, frozenset[tuple[int, int]]]:
        if not left:
            return 0.0, frozenset()
        lowest = (left & -left).bit_length() - 1
        rest = left & (left - 1)
        found = best(rest)
        for other in (place for place in range(lowest + 1, len(weights)) if rest >> place & 1):
            total, pairs = best(rest & ~(1 << other))
            if total + weights[lowest, other] > found[0]:
                found = total + float(weights[lowest, other]), pairs | {(lowest, other)}
        return found

    return best((1 << len(weights)) - 1)[1]
