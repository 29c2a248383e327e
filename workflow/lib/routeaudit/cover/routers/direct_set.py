"""Direct set scorer: one logistic regression on a team's joint text, no partition, no hop order."""

from __future__ import annotations

from routeaudit.cover.routers.base import Fitted, InformationSet, Route, Router, best_route
from routeaudit.cover.routers.linear import fit_logistic, logit, stack_outcomes
from routeaudit.cover.routers.material import Training, View
from routeaudit.cover.routers.sets import NAMES, set_features


class DirectSetRouter(Router):
    """Logistic regression on question and team-card features, fitted to the training outcomes.

    The paper describes its direct scorer as team scoring without a partition decoder and gives no features;
    ours is an interface-level adaptation: the features `sets.NAMES`, an L2 penalty, outcomes as targets.
    """

    information = InformationSet.OUTCOME_SUPERVISED

    def __init__(self, inverse_penalty: float) -> None:
        self._inverse_penalty = inverse_penalty

    def fit(self, training: Training) -> Fitted:
        """Weights per standardised feature."""
        matrices = [set_features(training.corpus, task) for task in training.tasks]
        return fit_logistic(*stack_outcomes(training, matrices), self._inverse_penalty, NAMES)

    def route(self, fitted: Fitted, view: View) -> list[Route]:
        """The team of the highest fitted log odds."""
        return [best_route(task, logit(fitted, set_features(view.corpus, task))) for task in view.tasks]
