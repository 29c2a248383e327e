"""Partition decoders: what one link says about the others, when each worker continues at most one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, logsumexp

from routeaudit.cover.routers.linear import Matrix

# Beyond so many partitions the exact sum gives way to the single best one.
LARGEST_EXACT_SUM = 5040


def assignment_scores(log_odds: Matrix) -> Matrix:
    """Log odds inside the best partition, minus infinity outside it.

    The partition assigns the smaller slot's workers to different workers of the larger slot so that the
    expected number of right links, the sum of their probabilities, is largest.
    """
    rows, columns = linear_sum_assignment(-expit(log_odds))
    scores = np.full_like(log_odds, -np.inf)
    scores[rows, columns] = log_odds[rows, columns]
    return scores


def posterior_scores(log_odds: Matrix) -> Matrix:
    """Log odds of each link plus the log probability that the true partition holds it.

    A partition has probability proportional to the product of its links' odds; the sum over all
    partitions is exact up to `LARGEST_EXACT_SUM` of them, beyond that the best one has probability 1.
    """
    if log_odds.shape[0] < log_odds.shape[1]:
        return posterior_scores(log_odds.T).T
    partitions = _partitions(*log_odds.shape)
    if partitions is None:
        return assignment_scores(log_odds)
    columns = np.arange(log_odds.shape[1])
    weights = log_odds[partitions, columns].sum(axis=1)
    held = np.full_like(log_odds, -np.inf)
    for row in range(log_odds.shape[0]):
        for column in columns:
            held[row, column] = logsumexp(weights[partitions[:, column] == row])
    result: Matrix = log_odds + held - logsumexp(weights)
    return result


def _partitions(larger: int, smaller: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]] | None:
    """Every assignment: for each worker of the smaller slot a different one of the larger."""
    count = int(np.prod(np.arange(larger - smaller + 1, larger + 1)))
    return None if count > LARGEST_EXACT_SUM else np.array(list(permutations(range(larger), smaller)))
