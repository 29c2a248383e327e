"""Features of a whole team: its joint text, its members' evidence and the links among them, any team size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from routeaudit.cover.routers.base import Scores
from routeaudit.cover.routers.evidence import TaskEvidence, card_names, pair_names, task_evidence
from routeaudit.cover.routers.linear import Matrix
from routeaudit.cover.routers.text import Corpus, words
from routeaudit.cover.routers.view import TaskView

JOINT_NAMES = ("joint_words", "joint_grams", "asked_covered", "workers")


def set_names(dense: bool) -> tuple[str, ...]:
    """Names of the features of a team."""
    return (
        *JOINT_NAMES,
        *(("joint_meaning",) if dense else ()),
        *(f"{how}_{name}" for how in ("mean", "least", "most") for name in card_names(dense)),
        *(f"{how}_{name}" for how in ("mean", "most") for name in pair_names(dense)),
    )


NAMES = set_names(dense=False)


def set_features(corpus: Corpus, task: TaskView, dense: bool = False) -> Matrix:
    """One row per legal team, one column per name in `set_names`, as deviations from the mean team."""
    return corpus.remember(f"set_features {dense=}", task, lambda: _measure(corpus, task, dense))


def _measure(corpus: Corpus, task: TaskView, dense: bool) -> Matrix:
    evidence = task_evidence(corpus, task, dense)
    members = [[evidence.places[worker] for worker in team.workers] for team in task.teams]
    rows = np.array([_members(evidence, places) for places in members])
    features = np.hstack([_joint(corpus, task, dense), rows])
    centred: Matrix = features - features.mean(axis=0)
    return centred


def _joint(corpus: Corpus, task: TaskView, dense: bool) -> Matrix:
    texts = [task.team_text(team) for team in task.teams]
    asked = words(task.question)
    return np.column_stack(
        [
            corpus.teams_by_words(task),
            corpus.teams_by_grams(task),
            [corpus.share(asked, words(text)) for text in texts],
            [float(len(team.workers)) for team in task.teams],
            *([corpus.by_meaning([task.question], texts)[0]] if dense else []),
        ]
    )


def _members(evidence: TaskEvidence, places: Sequence[int]) -> Scores:
    cards = evidence.cards[list(places)]
    links = [evidence.pairs[one, two] for one, two in permutations(places, 2)]
    pairs = np.array(links) if links else np.zeros((1, evidence.pairs.shape[2]))
    return np.concatenate(
        [cards.mean(axis=0), cards.min(axis=0), cards.max(axis=0), pairs.mean(axis=0), pairs.max(axis=0)]
    )
