"""Grade a whole phase from its artifacts: every stack, or the offline endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.config.inference import EndpointsConfig
from routeaudit.cover.grading.grade import grade, grade_offline
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import FINALS, MESSAGES, PLAN, PRIVATE_ANSWERS, PRIVATE_EVIDENCE


def grade_phase(cfg: Mapping[str, Any], inputs: Mapping[str, tuple[Path, ...]]) -> pa.Table:
    """OUTCOMES of the phase's plan.

    Parameters
    ----------
    cfg : sections ``endpoints`` and ``stacks``
    inputs : plan, evidence, answers, and per stack in the order of ``stacks`` messages and finals
    """
    endpoints = EndpointsConfig.model_validate(cfg["endpoints"]).all
    plan = read_table(inputs["plan"][0], PLAN)
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
