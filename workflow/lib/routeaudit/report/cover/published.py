"""The printed rows of the paper's tables 4 to 10 that a study of ours can stand beside.

Numbers are as printed; regrets and gains of different instances are not comparable, only their pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

ORACLE = "oracle"


@dataclass(frozen=True)
class Comparison:
    """A printed comparison of two routers.

    Parameters
    ----------
    table : number of the paper's table
    study : name of our study that rebuilds it
    policy, reference : kinds of the routers compared
    metric : ``regret`` (of the study's primary endpoint) or the endpoint whose mean value is printed
    printed, printed_reference, gain, interval : as printed; None where the paper prints none
    tasks : printed number of tasks
    """

    table: int
    label: str
    study: str
    policy: str
    reference: str
    metric: str
    printed: float | None
    printed_reference: float | None
    gain: float | None
    interval: tuple[float, float] | None
    tasks: int | None
    status: str


@dataclass(frozen=True)
class Level:
    """A printed row of one router: its values by column; a column is `regret`, `workers` or an endpoint."""

    table: int
    label: str
    study: str
    policy: str
    printed: dict[str, float]
    tasks: int


_COVER, _GRAPH, _LOO, _NONE = "unified_cover", "calibrated_graph", "leave_one_out", "no_partition"
_REGRET, _EXACT = "regret", "answer_exact"
_PRIVILEGED, _CROSSED = "musique12_privileged", "crossed_stack"

COMPARISONS = (
    Comparison(4, "MuSiQue-12 public", "musique12", _COVER, _GRAPH, _REGRET,
               0.424, 0.554, None, None, 500, "retrospective"),
    Comparison(4, "MuSiQue-12 privileged", _PRIVILEGED, _COVER, _GRAPH, _REGRET,
               0.402, 0.532, None, None, 500, "positive_control"),
    Comparison(4, "HotpotQA-4", "hotpotqa4", "direct_set", _LOO, _REGRET,
               0.110, 0.313, None, None, 300, "primary"),
    Comparison(8, "MuSiQue-12 binary", _PRIVILEGED, _COVER, _GRAPH, _REGRET,
               0.4020, 0.5320, 0.1300, None, 500, "positive_control"),
    Comparison(8, "HotpotQA-4 binary", "hotpotqa4", "direct_set", _LOO, _REGRET,
               0.1100, 0.3133, 0.2033, None, 300, "primary"),
    Comparison(8, "Llama verified route regret", "fixed_stack", _COVER, _LOO, _REGRET,
               0.1000, 0.2900, 0.1900, None, 300, "primary"),
    Comparison(9, "same local score, no partition", _PRIVILEGED, _COVER, _NONE, _REGRET,
               0.4020, 0.4660, 0.0640, (0.0400, 0.0880), 500, "secondary"),
    Comparison(9, "public interface: partition against graph", "musique12", _COVER, _GRAPH, _REGRET,
               0.4240, 0.5540, None, None, 500, "retrospective"),
    Comparison(9, "public interface: partition against none", "musique12", _COVER, _NONE, _REGRET,
               0.4240, 0.4540, None, None, 500, "retrospective"),
    Comparison(9, "public partition against zero-shot Llama", "musique12", _COVER, "zero_shot_llm", _REGRET,
               0.4240, 0.4860, None, None, 500, "secondary"),
    Comparison(9, "GPT-OSS strict rerun, raw answers", "fixed_stack_rerun", _COVER, _LOO, _EXACT,
               None, None, 0.0433, (0.0133, 0.0733), 300, "secondary"),
    Comparison(9, "GPT-OSS source-disjoint 1k, raw answers", "fixed_stack_confirmation", _COVER, _LOO, _EXACT,
               None, None, 0.0870, (0.0640, 0.1110), 1000, "secondary"),
    Comparison(10, "Llama workers, Llama finalizer", _CROSSED, _COVER, _LOO, _EXACT,
               0.5000, 0.4833, 0.0167, (-0.0067, 0.0400), 300, "secondary"),
    Comparison(10, "Llama workers, GPT-OSS finalizer", _CROSSED, _COVER, _LOO, _EXACT,
               0.6000, 0.5767, 0.0233, (-0.0067, 0.0533), 300, "secondary"),
    Comparison(10, "GPT-OSS workers, Llama finalizer", _CROSSED, _COVER, _LOO, _EXACT,
               0.5267, 0.4833, 0.0433, (0.0133, 0.0733), 300, "secondary"),
    Comparison(10, "GPT-OSS workers, GPT-OSS finalizer", _CROSSED, _COVER, _LOO, _EXACT,
               0.5900, 0.5533, 0.0367, (0.0033, 0.0700), 300, "secondary"),
)  # fmt: skip

LEVELS = (
    Level(5, "Unified-COVER", "fixed_stack", "unified_cover",
          {"evidence_verified": 0.8167, "answer_exact": 0.3633, "answer_exact regret": 0.050}, 300),
    Level(5, "leave-one-out", "fixed_stack", "leave_one_out",
          {"evidence_verified": 0.6267, "answer_exact": 0.3533, "answer_exact regret": 0.060}, 300),
    Level(6, "per-task declared-family oracle", "toolsandbox16", ORACLE, {"value": 0.768}, 14),
    Level(6, "all workers", "toolsandbox16", "all_workers",
          {"value": 0.655, "regret": 0.113, "workers": 5.0}, 14),
    Level(6, "development-best fixed team", "toolsandbox16", "best_fixed",
          {"value": 0.655, "regret": 0.113, "workers": 5.0}, 14),
    Level(6, "learned value router", "toolsandbox16", "learned_value",
          {"value": 0.655, "regret": 0.113, "workers": 4.57}, 14),
    Level(6, "ToolBench-style card retriever", "toolsandbox16", "card_retriever",
          {"value": 0.655, "regret": 0.113, "workers": 5.0}, 14),
    Level(6, "frozen public capability router", "toolsandbox16", "public_capability",
          {"value": 0.637, "regret": 0.131, "workers": 3.0}, 14),
)  # fmt: skip

TITLES = {
    4: "Controlled findings",
    5: "Frozen execution on one stack",
    6: "Variant-shift validation on tool families",
    8: "Originally specified comparisons",
    9: "Attribution and robustness",
    10: "Worker messages by finalizer",
}


def rebuilt_from(study: str) -> str:
    """The published study that ours rebuilds: an offline variant stands for its live one."""
    return study.removesuffix("_offline")
