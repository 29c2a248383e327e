"""What a trace says of its own protocol: the fields of the audit card, table 7 and table 8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routeaudit.config.deliberation import JudgeConfig, PoolConfig, ProtocolConfig
from routeaudit.config.models import ModelConfig
from routeaudit.deliberation.equivalence.judging import same_family
from routeaudit.deliberation.protocol.confidence import SCALE
from routeaudit.deliberation.protocol.views import SURFACE
from routeaudit.deliberation.trace import TraceMeta

NAME, VERSION = "confidence-routed broadcast", "1"
PAPER = "What Confidence Routing Is Actually Doing (cs.MA, 18 August 2026)"
_TIES = {
    "confidence_argmax": "first seen",
    "tie_random": "drawn among the valid polls with the highest score",
    "random_valid": "drawn among all valid polls",
    "majority_cluster": "drawn among equal clusters; inside a cluster the highest score, first seen",
    "confidence_weighted": "drawn among equal clusters; inside a cluster the highest score, first seen",
    "round_robin": "none: the turn decides",
    "learned": "first seen",
}
_CONFIDENCE = {
    "verbalised": "score stated from 0 to 100",
    "levels": "score stated as one of the declared levels",
    "answer_tokens": "score = 100 x probability of the answer's tokens",
}


def trace_meta(
    pool: PoolConfig, protocol: ProtocolConfig, judges: Mapping[str, JudgeConfig], benchmark: str
) -> TraceMeta:
    """The meta of every trace that this configuration makes."""
    models = [model_name(model) for model in (pool.models or (pool.model,))]
    fields = {
        "protocol_name": NAME,
        "protocol_version": VERSION,
        "paper_of_record": PAPER,
        "agent_model": models,
        "routing_rule": protocol.routing.rule,
        "tie_rule": _TIES[protocol.routing.rule],
        "schedule": _schedule(protocol),
        "poll_schema": f"{', '.join(protocol.poll.fields)}; {_CONFIDENCE[protocol.poll.confidence]}",
        "memory_regime": _memory(protocol),
        "evaluator": _evaluator(protocol, models),
        "judges": _judges(judges, models),
        "benchmark": benchmark,
        "stages": [dict(row) for row in SURFACE],
        "knobs": knobs(pool, protocol, models),
    }
    return TraceMeta(score_scale=SCALE, protocol=fields)


def model_name(model: ModelConfig) -> str:
    """A model's name as tables and cards show it."""
    name = getattr(model, "name", None) or getattr(model, "model", None)
    return str(name)


def knobs(pool: PoolConfig, protocol: ProtocolConfig, models: list[str]) -> dict[str, Any]:
    """The settings of table 8, under its names."""
    notes, approval = protocol.notes, protocol.approval
    return {
        "Deliberation pool": f"{pool.size} agents, {', '.join(models)}, temperature {pool.temperature:g}",
        "Discussion / approval schedule": _schedule(protocol),
        "Routing rule": f"{protocol.routing.rule}; ties: {_TIES[protocol.routing.rule]}",
        "Deferred-note threshold": f"score of at least {notes.threshold:g}" if notes.enabled else "no notes",
        "Public-memory regime": _memory(protocol),
        "Approval / candidate update policy": f"{approval.rule} approval; {approval.update}; "
        f"incumbent {protocol.incumbent}",
        "Confidence source": _CONFIDENCE[protocol.poll.confidence],
    }


def _schedule(protocol: ProtocolConfig) -> str:
    s = protocol.schedule
    return (
        f"at most {s.max_rounds} outer rounds of {s.discussion_turns} discussion turns and "
        f"{s.approval_rounds} approval rounds"
    )


def _memory(protocol: ProtocolConfig) -> str:
    memory = protocol.memory
    windowed = memory.regime in ("summary_plus_recent", "recent")
    return f"{memory.regime}, recent_history_window = {memory.recent_window}" if windowed else memory.regime


def _evaluator(protocol: ProtocolConfig, models: list[str]) -> str:
    evaluator = protocol.evaluator
    if evaluator.kind == "reference":
        return "comparison with the reference by rule"
    name = models[0] if evaluator.model is None else model_name(evaluator.model)
    return f"{name}, which sees the reference"


def _judges(judges: Mapping[str, JudgeConfig], actors: list[str]) -> list[str]:
    """Each judge with its model, the first as the one that labels, and whether it judges its own family."""
    if not judges:
        return ["rules only: normal form and math-verify"]
    found = []
    for i, (name, judge) in enumerate(judges.items()):
        model = model_name(judge.model)
        role = "labels what no rule decides" if i == 0 else "for agreement"
        kin = ", of the actors' own family" if same_family(model, actors) else ""
        found.append(f"{name}: {model}, {role}{kin}")
    return found
