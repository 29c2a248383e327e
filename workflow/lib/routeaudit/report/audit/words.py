"""The audit's glossary: what each metric and router is called on a page and what it means."""

from __future__ import annotations

GLOSSARY = {
    "CRA": "Candidate Routing Accuracy: share of selected-valid blocks whose routed candidate is correct.",
    "HRWP": "Hit Rate When Possible: among blocks with a correct valid candidate, share that selected one.",
    "MCR": "Missed Correct Rate: valid but wrong selection while another valid candidate was correct.",
    "PCCA": "Pairwise Confidence-Correctness Alignment: mean over mixed blocks of the share of correct-wrong "
    "pairs in which the correct candidate scored higher, ties half; 0.5 is no signal.",
    "CTR": "Confidence Tie Rate: share of correct-wrong pairs of one block with equal scores.",
    "ECE": "Expected Calibration Error: weighted mean gap between mean confidence and accuracy over bins.",
    "Brier": "Mean squared distance between the stated probability and the label.",
    "AUROC": "Chance that a correct candidate scores above a wrong one, over all candidates, ties half.",
    "PSDR": "Poll-Speak Divergence Rate: share of valid pairs whose spoken answer is not the polled one.",
    "PSIR": "Poll-Speak Improvement Rate: wrong poll, correct speech, among divergent pairs.",
    "PSDRg": "Poll-Speak Degradation Rate: correct poll, wrong speech, among divergent pairs.",
    "NPCS": "Net Poll-speak Correctness Shift: improvements minus degradations, over all valid pairs.",
    "NPCS_divergent": "The same, over divergent pairs only.",
}

LABELS = {
    "MCR_two_valid": "MCR, any block with two valid candidates",
    "PCCA_pair_micro": "PCCA, every pair weighing 1",
    "selected_invalid_rate": "Selected-invalid rate",
    "ECE_left_closed": "ECE, left-closed bins",
    "mean_confidence": "Mean confidence",
    "accuracy": "Accuracy",
    "NPCS_divergent": "NPCS given divergence",
    "NPCS_all_pairs": "Mean spoken minus mean polled",
    "PSIR_unconditional": "PSIR over all pairs",
    "PSDRg_unconditional": "PSDRg over all pairs",
    "incoherent_rate": "Incoherent pairs",
    "public_success": "Spoken answer correct",
    "availability": "Availability: a correct candidate exists",
    "routing": "Routing: it is selected",
    "commitment": "Commitment: it is also spoken",
    "rescue": "Rescue: wrong selection, spoken right",
    "availability_x_routing_x_commitment": "Availability × routing × commitment",
}

ROUTERS = {
    "runtime_argmax": "Runtime selection",
    "top_confidence_tie_random": "Top confidence, ties random",
    "top_confidence_tie_random_all_polls": "Top confidence over all polls, ties random",
    "random_valid": "Random valid candidate",
    "majority_vote": "Exact-answer majority vote",
    "confidence_weighted_vote": "Confidence-weighted vote",
    "learned_router": "Learned router, cross-fitted",
    "calibrated_argmax": "Calibrated argmax (isotonic)",
    "calibrated_by_agent_argmax": "Calibrated argmax, one map per agent",
    "oracle": "Oracle",
}

CALIBRATORS = {
    "raw": "Raw, as reported",
    "temperature": "Temperature",
    "platt": "Platt",
    "isotonic": "Isotonic",
}

TERMS = {
    "const": "(intercept)",
    "score": "score",
    "score:difficulty": "score × difficulty",
    "poll_correct": "poll correct",
    "poll_correct:difficulty": "poll correct × difficulty",
    "round": "round",
    "lag": "lag (rounds back)",
    "source_confidence": "source confidence",
    "source_correct": "source was correct",
    "most_recent": "candidate is the most recent",
    "role[self-prior-speak]": "role: own earlier speech (vs peer)",
    "role[incumbent]": "role: incumbent (vs peer)",
    "pool_solvable_rate": "Pool-solvable rate",
    "improvement_rate": "Improvement events per pair",
    "degradation_rate": "Degradation events per pair",
    "tier_difficulty": "Tier difficulty",
    "selected_invalid_rate": "Selected-invalid rate",
    "divergence_rate": "Divergence rate (PSDR)",
    "selected_correct_rate": "Selected-correct rate",
    "routing_slack": "Routing slack (oracle − argmax)",
    "selected_confidence": "Mean selected confidence",
    "no_pairs": "Trace without a valid pair",
}


def label(metric: str) -> str:
    """How a metric is called on a page."""
    return LABELS.get(metric, metric)


def term(name: str) -> str:
    """How a regression term is called on a page."""
    return TERMS.get(name, name)
