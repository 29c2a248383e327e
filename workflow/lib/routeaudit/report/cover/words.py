"""What the words on the page mean: endpoints, regimes, evidential statuses, remarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "good", "caution", "bad"]


@dataclass(frozen=True)
class Regime:
    """A coverage regime in the words that it permits.

    Parameters
    ----------
    regret, best : names of the scores' metrics for regret and for the best reachable value
    regret_word, best_word : how the page calls them; only complete coverage may say oracle
    executed, identified : the regime's row of the paper's table 2
    """

    name: str
    regret: str
    best: str
    regret_word: str
    best_word: str
    executed: str
    identified: str


REGIMES = {
    "complete": Regime(
        "complete",
        "regret",
        "oracle_value",
        "regret",
        "oracle",
        "all legal teams of every held-out task",
        "exact finite-benchmark oracle regret, and every contrast",
    ),
    "route_union": Regime(
        "route_union",
        "union_regret",
        "union_oracle_value",
        "union regret",
        "best of the route union",
        "the distinct teams that the frozen policies selected",
        "every contrast of the frozen policies, and regret within their union; no absolute regret",
    ),
    "sampled": Regime(
        "sampled",
        "sampled_action_regret",
        "sampled_oracle_value",
        "sampled-action regret",
        "best of the sampled teams",
        "teams drawn before any outcome existed, and the frozen policies' teams",
        "regret within the executed teams, and bounds on regret over the whole family",
    ),
}

ENDPOINTS = {
    "evidence_complete": "every required evidence unit lies with a worker of the team; needs no model",
    "evidence_coverage": "share of the required evidence units that lie with workers of the team",
    "evidence_verified": "every required unit was quoted by a message and found in its worker's passages",
    "answer_exact": "the final answer equals a gold answer or alias after the usual normalisation",
    "answer_f1": "word overlap (F1) of the final answer with the closest gold answer",
    "answer_verified": "the final answer is exact and its evidence is verified",
    "safe_evidence_completion": "milestones reached, 0 after a minefield: where it was played, the mean "
    "similarity of ToolSandbox's evaluator; where not, all or nothing by the declared map",
    "outcome": "the value in the given outcome table",
}

INFORMATION = {
    "public": "public tables only",
    "outcome_supervised_public": "public tables and outcomes of the training tasks",
    "privileged": "private fields as well: a control of the instrument, never deployable",
}


@dataclass(frozen=True)
class Meaning:
    """What a status word means, and how it is coloured."""

    text: str
    tone: Tone


STATUSES = {
    "primary": Meaning(
        "specified before outcomes, public information only, routes frozen in a confined process before the "
        "first held-out outcome, and a member of the Holm family",
        "good",
    ),
    "positive_control": Meaning(
        "specified before outcomes, but the router saw private fields: it shows that the instrument can see "
        "a difference, and is never evidence for deployment",
        "caution",
    ),
    "secondary": Meaning("specified before its outcomes, not in the Holm family: unadjusted", "plain"),
    "retrospective": Meaning(
        "some choice was made after held-out outcomes could be seen: its p-value is nominal", "bad"
    ),
    "descriptive": Meaning("no claim is attached", "plain"),
}

REMARKS = {
    "frozen_within_this_run": "frozen within this run: no seal was committed before the first outcome",
    "late_prospective": "late prospective: frozen before its own data, after other results were seen",
    "partial": "partly identified: some needed cells are missing",
    "zero_variance": "no variation between tasks: read the finite-sample interval beside it",
    "few_clusters": "fewer than ten source clusters",
    "t_reference": "few source clusters: a t reference is used",
    "cross_fitted": "cross-fitted: each route comes from a fold that did not hold its task",
    "unconfined": "the routing process was not confined by the kernel",
    "no_kernel_confinement": "the routing process was not confined by the kernel",
    "not_in_holm_family": "not in the Holm family",
    "privileged_information": "saw private fields",
    "not_sealed_before_first_outcome": "the contract was not sealed before the first held-out outcome",
    "routes_not_frozen_before_first_outcome": "routes were not frozen before the first held-out outcome",
    "tuned_after_outcomes": "a choice was made after held-out outcomes were visible",
    "held_out_data_seen_by_an_earlier_look": "an earlier contract had looked at these held-out data",
    "no_claim": "no claim is attached",
    "cells_missing": "needed cells are missing, so only bounds are identified",
    "one_task": "a single task",
    "one_cluster": "a single source cluster",
    "empty_denominator": "nothing to count",
    "needs_mc": "the chosen engine cannot compute it",
}


def plain(name: str) -> str:
    """An identifier as words."""
    return name.replace("_", " ")


def sentence(words: str) -> str:
    """Words with a capital at their beginning."""
    return words[:1].upper() + words[1:]


def remark(word: str) -> str:
    """The meaning of a flag or reason, or the word itself in plain spelling."""
    return REMARKS.get(word, plain(word))
