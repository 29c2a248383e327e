"""The joint family of a campaign: Holm over the studies' primary tests, statuses combined."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.config.campaign import CampaignConfig
from routeaudit.cover.scoring.status import Status
from routeaudit.errors import InputError
from routeaudit.inference.multiplicity import holm
from routeaudit.tables.results import CONTRASTS, CRITERIA, FAMILY_PRIMARY

Row = dict[str, Any]
LATE = "campaign_not_sealed_before_first_outcome"


@dataclass(frozen=True, eq=False)
class StudyResults:
    """What a campaign needs of one study.

    Parameters
    ----------
    contrasts, criteria : the study's CONTRASTS and CRITERIA
    in_time : whether the campaign's family was sealed before the study's first outcome
    """

    contrasts: pa.Table
    criteria: pa.Table
    in_time: bool


def joint_contrasts(campaign: CampaignConfig, studies: Mapping[str, StudyResults]) -> pa.Table:
    """CONTRASTS of the family; a test that could not be run counts as p = 1.

    A contrast that its study tested under several stacks enters once per stack.

    Raises
    ------
    InputError : a study's table lacks a declared contrast.
    """
    rows: list[Row] = []
    for name, test in campaign.tests.items():
        found = studies[test.study].contrasts.filter(pc.field("family") == FAMILY_PRIMARY)
        where = f"primary contrasts of {test.study!r}, test {name!r}"
        rows += _placed(found, "contrast", test.contrast, where, test.study, studies[test.study].in_time)
    raw = np.array([math.nan if row["p"] is None else row["p"] for row in rows])
    adjusted = [float(p) for p in holm(raw)]
    return CONTRASTS.from_rows(
        [
            row | {"adjusted": True, "p_adjusted": p, "reject": p <= campaign.alpha}
            for row, p in zip(rows, adjusted, strict=True)
        ]
    )


def joint_criteria(campaign: CampaignConfig, studies: Mapping[str, StudyResults]) -> pa.Table:
    """CRITERIA of the campaign. Raises InputError where a study's table lacks a declared bar."""
    rows: list[Row] = []
    for name, bar in campaign.criteria.items():
        found, where = studies[bar.study].criteria, f"criteria of {bar.study!r}, criterion {name!r}"
        rows += _placed(found, "criterion", bar.criterion, where, bar.study, studies[bar.study].in_time)
    return CRITERIA.from_rows(rows)


def _placed(table: pa.Table, key: str, wanted: str, where: str, study: str, in_time: bool) -> list[Row]:
    """The rows that the campaign declares, named after their study, with the campaign's status."""
    rows = table.filter(pc.field(key) == wanted).to_pylist()
    if not rows:
        raise InputError(where, f"a row {wanted!r}", "none", "score the study under its present contract")
    return [row | _status(row, in_time) | {key: f"{study}: {wanted}"} for row in rows]


def _status(row: Row, in_time: bool) -> Row:
    """The study's status; a family declared after its outcomes is retrospective."""
    if in_time:
        return {}
    lowered = min(Status[row["status"]], Status.retrospective)
    return {"status": lowered.name, "status_reasons": [*row["status_reasons"], LATE]}
