"""Read what a campaign needs from the artifacts and ledgers of its studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.config.campaign import validated_campaign
from routeaudit.cover.campaign.family import StudyResults, joint_contrasts, joint_criteria
from routeaudit.cover.campaign.seal import family_digest, sealed_in_time
from routeaudit.cover.evaluation.events import HeldOut
from routeaudit.provenance.ledger import ledger_path, read_ledger
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import INDEX_TASKS
from routeaudit.tables.results import CONTRASTS, CRITERIA


@dataclass(frozen=True, eq=False)
class Joint:
    """The tables of a campaign: CONTRASTS and CRITERIA."""

    contrasts: pa.Table
    criteria: pa.Table


def read_campaign(
    folder: str, cfg: Mapping[str, Any], inputs: Mapping[str, tuple[Path, ...]], seals: Path
) -> Joint:
    """The joint tables of a campaign.

    Parameters
    ----------
    folder : what the campaign is called among the studies
    cfg : the campaign's sections
    inputs : contrasts, criteria and index of every study, in the order of ``studies``
    seals : the folder of the ledgers

    Raises
    ------
    InputError : a study's table lacks what the campaign declares.
    """
    campaign, own = validated_campaign(cfg, folder), read_ledger(ledger_path(seals, folder))
    family = family_digest(cfg)
    studies = {}
    for study, contrasts, criteria, index in zip(
        campaign.studies, inputs["contrasts"], inputs["criteria"], inputs["index"], strict=True
    ):
        heldout = HeldOut.of(read_table(index, INDEX_TASKS)).digest
        ledger = read_ledger(ledger_path(seals, study))
        studies[study] = StudyResults(
            read_table(contrasts, CONTRASTS),
            read_table(criteria, CRITERIA),
            sealed_in_time(own, family, study, ledger, heldout),
        )
    return Joint(joint_contrasts(campaign, studies), joint_criteria(campaign, studies))
