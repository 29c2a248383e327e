"""A simulated confidence-routed deliberation whose behaviour is planted, as trace tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from routeaudit.deliberation.trace import SCHEMAS, Trace, TraceMeta

AGENTS = ("ada", "ben", "cyd")
PROTOCOL = {
    "protocol_name": "confidence-routed broadcast",
    "protocol_version": "1",
    "agent_model": ["simulated"],
    "routing_rule": "confidence argmax",
    "tie_rule": "first seen",
    "schedule": "2 rounds of 2 turns",
    "poll_schema": "score 0-100, answer",
    "memory_regime": "everything public",
    "evaluator": "exact match",
    "judges": ["judge-a", "judge-b"],
    "benchmark": "simulated",
}


@dataclass
class Rows:
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {name: [] for name in SCHEMAS})

    def add(self, table: str, **values: Any) -> None:
        empty = dict.fromkeys(SCHEMAS[table].fields.names)
        self.tables[table].append({**empty, **values})


def simulate(problems: int = 60, traces: int = 2, seed: int = 0, scale: float = 100.0) -> Trace:
    """Traces of ``problems`` problems in three tiers; harder tiers are solved less and believed as much."""
    rng = np.random.default_rng(seed)
    rows = Rows()
    for problem in range(problems):
        for copy in range(traces):
            _run(rows, rng, f"p{problem:03d}", problem % 3, f"t{problem:03d}-{copy}", scale)
    tables = {name: SCHEMAS[name].from_rows(found) for name, found in rows.tables.items()}
    return Trace(meta=TraceMeta(score_scale=scale, protocol=PROTOCOL), **tables)


def _run(rows: Rows, rng: np.random.Generator, problem: str, hard: int, trace: str, scale: float) -> None:
    public: list[tuple[str, str, str]] = []
    where = {"problem_uid": problem, "tier": f"{hard + 1:02d}"}
    for round_ in range(2):
        for turn in range(2):
            key = {"trace": trace, "round": round_, "turn": turn}
            incumbent = public[0] if public else None
            rows.add(
                "blocks",
                **key,
                **where,
                difficulty=float(hard + 1),
                incumbent=incumbent and incumbent[2],
                incumbent_event=incumbent and incumbent[0],
                public_seen=[event for event, _, _ in public],
            )
            answers = _poll(rows, rng, key, hard, scale)
            if answers is None:
                continue
            _speak(rows, rng, key, answers, public, hard)
    solved = any(answer == "right" for _, _, answer in public)
    for mode, cost in (("broadcast", 12), ("single_agent", 3), ("baseline_llm", 1)):
        passed = (
            bool(rng.random() < (0.85 if solved else 0.1))
            if mode == "broadcast"
            else bool(rng.random() < 0.5)
        )
        rows.add(
            "outcomes",
            trace=trace,
            mode=mode,
            **where,
            passed=passed,
            rounds=2,
            calls=cost,
            tokens=100 * cost,
            seconds=0.5 * cost,
        )


def _answer(rng: np.random.Generator, hard: int) -> str:
    return "right" if rng.random() < 0.75 - 0.2 * hard else f"wrng{rng.integers(3)}"


def _poll(
    rows: Rows, rng: np.random.Generator, key: dict[str, Any], hard: int, scale: float
) -> tuple[str, str] | None:
    best: tuple[float, str, str | None] = (-np.inf, "", None)
    for order, agent in enumerate(AGENTS):
        parsed = bool(rng.random() < 0.95)
        answer = _answer(rng, hard) if parsed and rng.random() < 0.9 else None
        score = float(rng.choice([70, 80, 90, 95]) + (5 if answer == "right" and rng.random() < 0.4 else 0))
        score = score * scale / 100
        rows.add(
            "polls",
            **key,
            agent=agent,
            agent_order=order,
            score_raw=score if parsed else None,
            parse_ok=parsed,
            has_candidate=answer is not None,
            answer=answer,
            answer_norm=answer,
            correct=None if answer is None else answer == "right",
        )
        if parsed and score > best[0]:
            best = (score, agent, answer)
    agent = best[1] or AGENTS[0]
    rows.add("selections", **key, agent=agent, rule="argmax")
    return None if best[2] is None else (agent, best[2])


def _speak(
    rows: Rows,
    rng: np.random.Generator,
    key: dict[str, Any],
    polled: tuple[str, str],
    public: list[tuple[str, str, str]],
    hard: int,
) -> None:
    agent, answer = polled
    spoken = answer if rng.random() < 0.7 else _answer(rng, hard)
    if public and rng.random() < 0.15:
        spoken = public[rng.integers(len(public))][2]
    divergent = spoken != answer
    ruled = bool(rng.random() < 0.5)
    seen = [(event, who, what) for event, who, what in public if what == spoken]
    rows.add(
        "speaks",
        **key,
        agent=agent,
        text=f"I say {spoken} <b>loudly</b>",
        spoken_valid=True,
        spoken=spoken,
        spoken_norm=spoken,
        spoken_correct=spoken == "right",
        divergent=divergent,
        divergence_source="rule" if ruled else "judge-a",
        match_self=any(who == agent for _, who, _ in seen),
        match_incumbent=bool(public) and public[0][2] == spoken,
        match_peer=any(who != agent for _, who, _ in seen),
    )
    if not ruled:
        verdict = "divergent" if divergent else "equivalent"
        other = "undecided" if rng.random() < 0.05 else verdict if rng.random() < 0.9 else "divergent"
        rows.add("verdicts", **key, judge="judge-a", verdict=verdict)
        rows.add("verdicts", **key, judge="judge-b", verdict=other)
    public.append((f"{key['round']}.{key['turn']}", agent, spoken))
