"""The seal of a campaign: its own contract and ledger, tied to where the studies' ledgers stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from routeaudit.config.campaign import CampaignConfig
from routeaudit.errors import InputError
from routeaudit.provenance.contract import make_contract, section_digest
from routeaudit.provenance.ledger import (
    FIRST_OUTCOME,
    SEALED,
    Event,
    append_event,
    ledger_path,
    read_ledger,
)

_PREFIX = "campaign_"


def campaign_folder(name: str) -> str:
    """What a campaign is called among the studies: its folder in results and its ledger in seals."""
    return _PREFIX + name


def campaign_contract(
    name: str, campaign: CampaignConfig, contracts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The contract of a campaign: what it declares, and the digest of every study's contract.

    Parameters
    ----------
    contracts : study -> its contract

    Raises
    ------
    InputError : a test or criterion that its study does not declare.
    """
    for part, kind, chosen in _chosen(campaign):
        declared = contracts[part.study]["sections"]["tests"][kind]
        if chosen not in declared:
            raise InputError(
                f"campaign {name!r}, study {part.study!r}",
                f"a {kind} part of the study: {', '.join(declared) or 'it declares none'}",
                repr(chosen),
                f"compare with config/study/{part.study}.yaml",
            )
    sections = campaign.model_dump(mode="json") | {
        "contracts": {study: contracts[study]["digest"] for study in campaign.studies}
    }
    return make_contract(campaign_folder(name), sections)


def _chosen(campaign: CampaignConfig) -> list[tuple[Any, str, str]]:
    tests = [(test, "primary", test.contrast) for test in campaign.tests.values()]
    return tests + [(bar, "criteria", bar.criterion) for bar in campaign.criteria.values()]


def log_sealed(seals: Path, contract: Mapping[str, Any]) -> Event:
    """A campaign was sealed; the event witnesses how long each study's ledger was and its last digest."""
    heads = {}
    for study in contract["sections"]["studies"]:
        events = read_ledger(ledger_path(seals, study))
        heads[study] = {"events": len(events), "head": events[-1].digest if events else ""}
    facts = {
        "contract": contract["digest"],
        "sections": dict(contract["section_digests"]),
        "family": family_digest(contract["sections"]),
    }
    return append_event(ledger_path(seals, contract["study"]), SEALED, facts, {"ledgers": heads})


def family_digest(sections: Mapping[str, Any]) -> str:
    """Digest of what decides the adjusted p: the tests of the family, the criteria and the level."""
    return section_digest({name: sections[name] for name in ("tests", "criteria", "alpha")})


def sealed_in_time(
    seals: Sequence[Event], family: str, study: str, ledger: Sequence[Event], heldout: str
) -> bool:
    """Whether this family was sealed before the first outcome of a study's held-out tasks.

    A seal counts where the study's ledger still begins with the events that it witnessed.

    Parameters
    ----------
    seals : the campaign's ledger
    family : digest of the family in force
    ledger : the study's ledger
    heldout : digest of the study's held-out tasks
    """
    outcomes = [e.seq for e in ledger if e.event == FIRST_OUTCOME and e.facts["heldout"] == heldout]
    first = min(outcomes, default=len(ledger))
    heads = [e.witnessed["ledgers"].get(study) for e in seals if e.facts["family"] == family]
    return any(head and head["events"] <= first and _begins(ledger, head) for head in heads)


def _begins(ledger: Sequence[Event], head: Mapping[str, Any]) -> bool:
    """Whether the ledger's first events end with the witnessed digest."""
    count: int = head["events"]
    last = "" if count == 0 else ledger[count - 1].digest if count <= len(ledger) else None
    return bool(last == head["head"])
