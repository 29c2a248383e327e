"""Weights of the learned router, fitted to the labelled polls of an earlier trace."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from routeaudit.deliberation.protocol.routing import Occasion, Offer, features
from routeaudit.deliberation.trace import Trace
from routeaudit.errors import InputError


def fit_weights(trace: Trace, inverse_penalty: float = 1.0) -> dict[str, float]:
    """Coefficients of a logistic regression of correctness on the router's features, over labelled valid
    polls.

    The value of ``routing.weights`` for the rule ``learned``. Fit on other problems than those it will route.

    Raises
    ------
    InputError : no labelled valid poll, or all of one label
    """
    known, labels = _examples(trace)
    if len(set(labels)) < 2:
        raise InputError(
            "polls",
            "labelled valid polls, right and wrong",
            f"{len(labels)} of one kind",
            "use a larger trace",
        )
    names = sorted({name for row in known for name in row})
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in known])
    model = LogisticRegression(C=inverse_penalty, fit_intercept=False, max_iter=1000).fit(matrix, labels)
    return dict(zip(names, map(float, model.coef_[0]), strict=True))


def _examples(trace: Trace) -> tuple[list[dict[str, float]], list[bool]]:
    known: list[dict[str, float]] = []
    labels: list[bool] = []
    numbers: dict[str, int] = {}
    rows = sorted(trace.polls.to_pylist(), key=lambda r: (*_turn(r), r["agent_order"]))
    for (name, _, _), group in groupby(rows, key=_turn):
        polls = list(group)
        offers = [_offer(row) for row in polls]
        occasion = Occasion(name, numbers.setdefault(name, 0))
        numbers[name] += 1
        for row, offer in zip(polls, offers, strict=True):
            if offer.valid and row["correct"] is not None:
                known.append(dict(features(offer, offers, occasion)))
                labels.append(row["correct"])
    return known, labels


def _turn(row: dict[str, Any]) -> tuple[str, int, int]:
    return row["trace"], row["round"], row["turn"]


def _offer(row: dict[str, Any]) -> Offer:
    offered = row["parse_ok"] and row["has_candidate"]
    return Offer(row["agent"], row["score_raw"], row["answer_norm"] if offered else None)
