"""Direct set scorer: one logistic regression on a team's joint text, no partition, no hop order."""

from __future__ import annotations

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, best_route
from routeaudit.cover.routers.linear import Matrix, fit_logistic, logit, stack_outcomes
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.sets import set_features, set_names
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView


class DirectSetRouter(Router):
    """Logistic regression on question and team-card features, fitted to the training outcomes.

    The paper describes its direct scorer as team scoring without a partition decoder and gives no features;
    ours is an interface-level adaptation: the features `sets.set_names`, an L2 penalty, outcomes as targets.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float, dense: bool = False) -> None:
        self._inverse_penalty = inverse_penalty
        self._dense = dense

    def fit(self, training: Training) -> Fitted:
        """Weights per standardised feature."""
        matrices = [self._features(training.corpus, task) for task in training.tasks]
        names = set_names(self._dense)
        return fit_logistic(*stack_outcomes(training, matrices), self._inverse_penalty, names)

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of the highest fitted log odds."""
        return [best_route(task, logit(fitted, self._features(view.corpus, task))) for task in view.tasks]

    def _features(self, corpus: Corpus, task: TaskView) -> Matrix:
        return set_features(corpus, task, self._dense)
