"""One task with four workers and two required units, as tables."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from routeaudit.tables.artifacts import FINALS, MESSAGES, PLAN, PRIVATE_ANSWERS, PRIVATE_EVIDENCE

SENTENCES = {
    "w1": ("Night Ferry is a novel.", "Its author is Jon Hale."),
    "w2": ("Jon Hale was born in  Castelby.",),
    "w3": ("Night Train is a novel.",),
    "w4": ("Pia Holm was born in Osmark.",),
}
TEAMS = {"g01": ["w1", "w2"], "g02": ["w1", "w4"], "g03": ["w2", "w3"], "g04": ["w3", "w4"]}
GOLD = "g01"
ALL = (
    "evidence_complete",
    "evidence_coverage",
    "evidence_verified",
    "answer_exact",
    "answer_f1",
    "answer_verified",
)


def evidence() -> pa.Table:
    return PRIVATE_EVIDENCE.from_rows(
        [
            {
                "task_id": "t1",
                "worker_id": worker,
                "slot": int(worker in ("w2", "w4")),
                "passages": [{"unit_id": f"u-{worker}", "title": worker, "sentences": list(sentences)}],
                "component_id": None,
            }
            for worker, sentences in SENTENCES.items()
        ]
    )


def answers() -> pa.Table:
    row = {
        "task_id": "t1",
        "answer": "Castelby",
        "aliases": ["Castelby Town"],
        "required_units": ["u-w1", "u-w2"],
        "required_team": ["w1", "w2"],
    }
    return PRIVATE_ANSWERS.from_rows([row])


def plan() -> pa.Table:
    return PLAN.from_rows(
        [
            {"task_id": "t1", "team_id": team, "workers": workers, "reason": "complete"}
            for team, workers in TEAMS.items()
        ]
    )


def messages(quotes: dict[str, str], statuses: dict[str, str], replicates: int = 1) -> pa.Table:
    return MESSAGES.from_rows(
        [
            {
                "task_id": "t1",
                "worker_id": worker,
                "stack": "s",
                "replicate": replicate,
                "slot": 0,
                "text": "",
                "quote": quotes.get(worker, SENTENCES[worker][-1]),
                "claim": None,
                "status": statuses.get(worker, "ok"),
                "prompt_tokens": 1,
                "completion_tokens": 1,
                "request_key": f"{worker}-{replicate}",
            }
            for worker, replicate in product(SENTENCES, range(replicates))
        ]
    )


def finals(said: dict[str, str], statuses: dict[str, str], replicates: int = 1) -> pa.Table:
    return FINALS.from_rows(
        [
            {
                "task_id": "t1",
                "team_id": team,
                "stack": "s",
                "replicate": replicate,
                "text": "",
                "answer": said.get(team, "the Castelby."),
                "status": statuses.get(team, "ok"),
                "prompt_tokens": 1,
                "completion_tokens": 1,
                "request_key": f"{team}-{replicate}",
            }
            for team, replicate in product(TEAMS, range(replicates))
        ]
    )
