"""Grade a whole phase from its artifacts: every stack, or the offline endpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.config.inference import EndpointsConfig
from routeaudit.config.stack import is_played
from routeaudit.cover.benchmarks.given import GIVEN_ENDPOINTS, given_outcomes
from routeaudit.cover.benchmarks.inventory import read_inventory
from routeaudit.cover.grading.grade import OFFLINE_STACK, grade, grade_offline
from routeaudit.cover.grading.played import grade_played
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import (
    FINALS,
    INDEX_TASKS,
    MESSAGES,
    PLAN,
    PLAYS,
    PRIVATE_ANSWERS,
    PRIVATE_EVIDENCE,
)


def grade_phase(cfg: Mapping[str, Any], inputs: Mapping[str, tuple[Path, ...]]) -> pa.Table:
    """OUTCOMES of the phase's plan.

    Parameters
    ----------
    cfg : sections ``endpoints`` and ``stacks``
    inputs : source, index, plan, evidence, answers, and per stack in the order of ``stacks`` messages and
        finals, or plays
    """
    endpoints = EndpointsConfig.model_validate(cfg["endpoints"]).all
    plan = read_table(inputs["plan"][0], PLAN)
    if any(map(is_played, cfg["stacks"].values())):
        return _played(cfg["stacks"], inputs["plays"], plan, endpoints)
    if set(endpoints) & set(GIVEN_ENDPOINTS):
        return _given(inputs, plan, endpoints)
    evidence = read_table(inputs["evidence"][0], PRIVATE_EVIDENCE)
    answers = read_table(inputs["answers"][0], PRIVATE_ANSWERS)
    if not cfg["stacks"]:
        return grade_offline(plan, evidence, answers, endpoints)
    files = zip(inputs["messages"], inputs["finals"], strict=True)
    return pa.concat_tables(
        grade(
            plan,
            read_table(messages, MESSAGES),
            read_table(finals, FINALS),
            evidence,
            answers,
            endpoints,
            name,
            stack["replicates"],
        )
        for (name, stack), (messages, finals) in zip(cfg["stacks"].items(), files, strict=True)
    )


def _played(
    stacks: Mapping[str, Any], files: Sequence[Path], plan: pa.Table, endpoints: Sequence[str]
) -> pa.Table:
    return pa.concat_tables(
        grade_played(plan, read_table(plays, PLAYS), endpoints, name, stack["replicates"])
        for (name, stack), plays in zip(stacks.items(), files, strict=True)
    )


def _given(inputs: Mapping[str, tuple[Path, ...]], plan: pa.Table, endpoints: Sequence[str]) -> pa.Table:
    """Outcomes that came with the source: somebody else's table, or a rule over its own annotations."""
    inventory = read_inventory(inputs["source"][0])
    index = read_table(inputs["index"][0], INDEX_TASKS)
    return pa.concat_tables(
        given_outcomes(inventory, index, plan, endpoint, OFFLINE_STACK) for endpoint in endpoints
    )
