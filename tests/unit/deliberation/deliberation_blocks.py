"""Block fixtures and an independent, slow oracle of every block metric."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from hypothesis import strategies as st

from routeaudit.deliberation.blocks import Blocks


@dataclass(frozen=True)
class Poll:
    """One poll; ``score`` None is an unparsed poll."""

    score: float | None
    valid: bool
    correct: bool
    answer: str = "a"


def to_blocks(rows: list[list[Poll]], selected: list[int] | None, cluster: list[int]) -> Blocks:
    """Arrays of explicit blocks; without ``selected`` the first-seen argmax is taken by hand."""
    polls = [poll for block in rows for poll in block]
    chosen = selected if selected is not None else [argmax(block) for block in rows]
    names = sorted({poll.answer for poll in polls})
    return Blocks(
        offsets=np.concatenate([[0], np.cumsum([len(block) for block in rows])]).astype(np.int64),
        score=np.array([-np.inf if p.score is None else p.score for p in polls]),
        valid=np.array([p.valid for p in polls], dtype=bool),
        correct=np.array([p.valid and p.correct for p in polls], dtype=bool),
        selected=np.array(chosen, dtype=np.int64),
        cluster=np.array(cluster, dtype=np.int64),
        n_clusters=max(cluster) + 1,
        answer=np.array([names.index(p.answer) for p in polls], dtype=np.int64),
    )


def argmax(block: list[Poll]) -> int:
    scores = [float("-inf") if p.score is None else p.score for p in block]
    return scores.index(max(scores))


@st.composite
def polls(draw: st.DrawFn) -> Poll:
    score = draw(st.one_of(st.none(), st.sampled_from([0, 5, 30, 60, 70, 95, 100])))
    valid = score is not None and draw(st.booleans())
    return Poll(score, valid, draw(st.booleans()), draw(st.sampled_from("abc")))


@st.composite
def ragged(draw: st.DrawFn) -> tuple[list[list[Poll]], list[int], list[int]]:
    """Random blocks of 1 to 5 polls with ties and invalid polls, any selection, up to 4 problems."""
    rows = draw(st.lists(st.lists(polls(), min_size=1, max_size=5), min_size=1, max_size=12))
    selected = [draw(st.integers(0, len(block) - 1)) for block in rows]
    cluster = [draw(st.integers(0, 3)) for _ in rows]
    return rows, selected, cluster


def divide(top: float, bottom: float) -> float:
    return top / bottom if bottom else float("nan")


def slow_metrics(rows: list[list[Poll]], selected: list[int]) -> dict[str, float]:
    """Every routing metric by loops over blocks and pairs, straight from the definitions of A10."""
    n_valid = [sum(p.valid for p in block) for block in rows]
    right = [[p for p in block if p.valid and p.correct] for block in rows]
    wrong = [[p for p in block if p.valid and not p.correct] for block in rows]
    chosen = [block[i] for block, i in zip(rows, selected, strict=True)]
    hits = sum(p.valid and p.correct for p in chosen)
    missed = sum(p.valid and not p.correct and bool(r) for p, r in zip(chosen, right, strict=True))
    eligible = sum(p.valid and n > 1 for p, n in zip(chosen, n_valid, strict=True))
    alignments, ties, pairs, wins = [], 0, 0, 0.0
    for good, bad in zip(right, wrong, strict=True):
        if good and bad:
            beats = [(c.score > w.score) + 0.5 * (c.score == w.score) for c in good for w in bad]
            alignments.append(sum(beats) / len(beats))
            ties += sum(c.score == w.score for c in good for w in bad)
            pairs += len(beats)
            wins += sum(beats)
    return {
        "CRA": divide(hits, sum(p.valid for p in chosen)),
        "HRWP": divide(hits, sum(bool(r) for r in right)),
        "MCR": divide(missed, eligible),
        "MCR_two_valid": divide(missed, sum(n > 1 for n in n_valid)),
        "PCCA": divide(sum(alignments), len(alignments)),
        "PCCA_pair_micro": divide(wins, pairs),
        "CTR": divide(ties, pairs),
        "selected_invalid_rate": divide(sum(not p.valid for p in chosen), len(rows)),
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _vote(block: list[Poll], weighted: bool) -> float:
    valid = sorted((p for p in block if p.valid), key=lambda p: p.answer)
    clusters = [list(members) for _, members in groupby(valid, key=lambda p: p.answer)]
    weight = [sum(p.score for p in c) if weighted else len(c) for c in clusters]
    top = [c for c, w in zip(clusters, weight, strict=True) if w == max(weight)]
    return _mean([_mean([float(p.correct) for p in c]) for c in top])


def slow_success(rows: list[list[Poll]], selected: list[int]) -> dict[str, float]:
    """Expected success of every fixed rule over the routeable blocks, by enumeration."""
    out: dict[str, list[float]] = {}
    for block, chosen in zip(rows, selected, strict=True):
        valid = [p for p in block if p.valid]
        if not valid:
            continue
        best = max(p.score for p in valid)
        scores = [float("-inf") if p.score is None else p.score for p in block]
        tops = [p for p, s in zip(block, scores, strict=True) if s == max(scores)]
        rules = {
            "runtime_argmax": float(block[chosen].valid and block[chosen].correct),
            "top_confidence_tie_random": _mean([float(p.correct) for p in valid if p.score == best]),
            "top_confidence_tie_random_all_polls": _mean([float(p.valid and p.correct) for p in tops]),
            "random_valid": _mean([float(p.correct) for p in valid]),
            "majority_vote": _vote(block, weighted=False),
            "confidence_weighted_vote": _vote(block, weighted=True),
            "oracle": float(any(p.correct for p in valid)),
        }
        for name, value in rules.items():
            out.setdefault(name, []).append(value)
    return {name: _mean(values) for name, values in out.items()}
