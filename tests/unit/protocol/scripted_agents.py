"""Scripted agents with known behaviour, and a cell in which they deliberate without a model.

The rule reads what it may see from the view (the last message) and answers by the behaviour of its persona
line: ``I am <name>`` opens every view. Behaviours are planted through the rule's parameters by agent name.
"""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from routeaudit.config.deliberation import BaselinesConfig, JudgeConfig, PoolConfig, ProtocolConfig
from routeaudit.config.models import ScriptedModel
from routeaudit.deliberation.audit import AuditResult, run_audit
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.study import Cell, label_cell, run_cell
from routeaudit.deliberation.settings import AuditSettings
from routeaudit.deliberation.trace import Trace
from routeaudit.execution import Request

PERSONAS = ("I am a1.", "I am a2.", "I am a3.")
WRONG = "Atlantis"


def act(request: Request, noise: random.Random, *, agents: dict[str, Any]) -> str:
    """The reply of whoever is asked, by ``agents[name]``: answer, score, spoken, approve, revision, note,
    hint."""
    text = request.messages[-1].content
    named = re.search(r"I am (\w+)\.", text)
    plan = agents[named.group(1)] if named else agents["evaluator"]
    if request.schema is None:
        return _speech(plan, text)
    names = json.loads(request.schema)["properties"]
    if "verdict" in names:
        return json.dumps(_evaluation(plan, text))
    if "approve" in names:
        return json.dumps({"approve": plan.get("approve", True), "revision": plan.get("revision", "")})
    return _poll(plan, text, names)


def _poll(plan: dict[str, Any], text: str, names: dict[str, Any]) -> str:
    if plan.get("poll_text") is not None:
        return str(plan["poll_text"])
    answer = plan.get("answer", WRONG)
    said = {
        "score": plan.get("score", 50),
        "reason": plan.get("reason", "because"),
        "intent": "say it",
        "candidate_answer": answer or "",
        "has_candidate_answer": answer is not None,
    }
    return json.dumps({name: said[name] for name in names})


def _speech(plan: dict[str, Any], text: str) -> str:
    spoken = plan.get("spoken", plan.get("answer", WRONG))
    if spoken == "echo":
        heard = re.findall(r"(?m)^a\d: .*Answer: (.+)$", text)
        spoken = heard[-1] if heard else plan["answer"]
    if spoken == "incumbent":
        held = re.findall(r"Current answer: (.+)", text)
        spoken = held[-1] if held else plan["answer"]
    return plan.get("speech", "I think so. Answer: {}").format(spoken)


def _evaluation(plan: dict[str, Any], text: str) -> dict[str, Any]:
    submitted = re.search(r"Submitted answer: (.+)", text)
    reference = re.search(r"Reference answer: (.+)", text)
    assert submitted is not None
    assert reference is not None
    right = submitted.group(1) == reference.group(1)
    hint = plan.get("hint", "Think of rivers.")
    return {"verdict": "PASS" if right else "FAIL", "correct": right, "hint": hint}


def judge(request: Request, noise: random.Random, *, equal: Sequence[str]) -> str:
    """Equivalent if both answers are among ``equal``."""
    answers = re.findall(r"Answer \d: (.+)", request.messages[-1].content)
    return json.dumps({"verdict": "equivalent" if set(answers) <= set(equal) else "divergent"})


def problems(n: int = 4, answer: str = "Paris") -> list[Problem]:
    """Short-answer problems that share their answer."""
    return [
        Problem(f"p{i}", f"Which capital is number {i}?", "short", answer, tier=f"{i % 2 + 1:02d}")
        for i in range(n)
    ]


def protocol(**changed: Any) -> ProtocolConfig:
    """The paper's protocol, shortened: one round of two turns, no approval, reference evaluator."""
    short = {"max_rounds": 1, "discussion_turns": 2, "approval_rounds": 0}
    return ProtocolConfig.model_validate({"schedule": short, "evaluator": {"kind": "reference"}, **changed})


def cell(
    agents: dict[str, Any],
    judges: dict[str, Sequence[str]] | None = None,
    modes: Sequence[str] = (),
    **changed: Any,
) -> Cell:
    """Three scripted agents under a protocol."""
    model = ScriptedModel(
        backend="scripted", rule="scripted_agents:act", parameters={"agents": {"evaluator": {}, **agents}}
    )
    judging = {
        name: JudgeConfig(
            model=ScriptedModel(
                backend="scripted", name=name, rule="scripted_agents:judge", parameters={"equal": list(equal)}
            )
        )
        for name, equal in (judges or {}).items()
    }
    pool = PoolConfig(model=model, personas=PERSONAS)
    return Cell("toy", pool, protocol(**changed), BaselinesConfig(modes=tuple(modes)), judging)


def played(made: Cell, asked: Sequence[Problem], journal: Path) -> Trace:
    """The labelled trace of a cell."""
    with made.panel(journal, "test", quiet=True) as panel:
        return label_cell(made, run_cell(made, asked, panel), asked, panel)


def rows(trace: Trace, table: str, /, **where: Any) -> list[dict[str, Any]]:
    """Rows of a table that have these values."""
    found = trace.tables()[table].to_pylist()
    return [row for row in found if all(row[name] == value for name, value in where.items())]


def audited(trace: Trace) -> AuditResult:
    """The audit of a toy trace, whose regressions are degenerate on purpose: their solvers' warnings are
    no matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_audit(
            trace, AuditSettings(resamples=40, permutations=10, oracle_repeats=3, noise_floor_repeats=5)
        )
