"""Inside the confined process: read the training tables, fit, route, leave a JSON file."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from routeaudit.cover.confinement import confine, python_installation
from routeaudit.cover.confinement.audit import AuditTrail
from routeaudit.cover.freeze.unit import Unit
from routeaudit.cover.freeze.wire import ask_broker
from routeaudit.cover.routers.base import Fitted, Route
from routeaudit.cover.routers.material import Training, View, read_labels, read_training
from routeaudit.cover.routers.registry import build_router
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import TaskView
from routeaudit.errors import InputError
from routeaudit.tables import canonical_json


def run_unit(unit: Unit, corpus: Corpus, mechanism: str, probes: tuple[str, ...]) -> None:
    """Confine this process to the unit's inputs, run the unit and write its result."""
    reads, folder = (*python_installation(), *unit.reads), Path(unit.folder)
    try:
        held = confine(mechanism, reads, (folder,), tuple(map(Path, probes)))
        trail = AuditTrail((*reads, folder))
        outcome = {"held": asdict(held), **_outcome(unit, corpus), "asked_outside": sorted(trail.outside())}
    except OSError as error:
        outcome = {"error": _as_input_error(unit, error)}
    _leave(unit, outcome)


def _outcome(unit: Unit, corpus: Corpus) -> dict[str, Any]:
    os.chdir(unit.folder)
    try:
        fitted, routes = _fit_and_route(unit, corpus)
        return {"fitted": fitted, "routes": [[r.task_id, r.team_id, r.score, r.fallback] for r in routes]}
    except InputError as error:
        return {"error": [error.where, error.expected, error.found, error.hint]}
    except Exception as error:
        return {"error": _as_input_error(unit, error)}


def _fit_and_route(unit: Unit, corpus: Corpus) -> tuple[Fitted, list[Route]]:
    views = {task.task_id: task for task in corpus.tasks}
    router = build_router(unit.definition, ask_broker)
    fitted = router.fit(_training(unit, views, corpus))
    return fitted, router.route(fitted, View(_pick(views, unit.route), corpus))


def _training(unit: Unit, views: Mapping[str, TaskView], corpus: Corpus) -> Training:
    known, tables = set(unit.train), {role: Path(path) for role, path in unit.tables.items()}
    values = read_training(tables["outcomes"], unit.endpoint, unit.stack) if "outcomes" in tables else {}
    return Training(
        tasks=_pick(views, unit.train),
        corpus=corpus,
        values={task_id: cells for task_id, cells in values.items() if task_id in known},
        groups=unit.groups,
        seed=unit.definition.seed,
        private=read_labels(tables["evidence"]) if "evidence" in tables else None,
    )


def _pick(views: Mapping[str, TaskView], task_ids: tuple[str, ...]) -> list[TaskView]:
    unknown = [task_id for task_id in task_ids if task_id not in views]
    if unknown:
        raise InputError(
            "public/tasks",
            f"every task of the split, {unknown[0]!r} among them",
            "no such task",
            "publish and split the same tasks",
        )
    return [views[task_id] for task_id in task_ids]


def _leave(unit: Unit, outcome: dict[str, Any]) -> None:
    try:
        text = canonical_json(outcome)
    except (TypeError, ValueError) as error:
        text = canonical_json({"error": _as_input_error(unit, error)})
    unit.result.write_text(text, encoding="utf-8")


def _as_input_error(unit: Unit, error: Exception) -> list[str]:
    """A router's own failure: whose, and on which line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return [
        f"router {unit.policy!r} ({unit.definition.kind})",
        "a router that fits, routes and returns plain values with its declared inputs only",
        f"{type(error).__name__}: {error}{place}",
        "mend the router, or declare what it needs",
    ]
