"""A campaign is sealed in time where its ledger saw the studies' ledgers before their first outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from routeaudit.config.campaign import CampaignConfig
from routeaudit.cover.campaign.seal import campaign_contract, family_digest, log_sealed, sealed_in_time
from routeaudit.errors import InputError
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.ledger import FIRST_OUTCOME, SEALED, append_event, ledger_path, read_ledger

HELD_OUT = "tasks-1"


class Campaign:
    """A campaign of one study in a folder of ledgers."""

    def __init__(self, seals: Path) -> None:
        self.seals = seals
        self.contract = self.seal_study("study")

    def seal_study(self, study: str, **sections: Any) -> dict[str, Any]:
        tests = {"primary": {"gain": {"policy": "a", "reference": "b"}}, "criteria": {}}
        contract = make_contract(study, {"tests": tests, **sections})
        append_event(ledger_path(self.seals, study), SEALED, {"contract": contract["digest"]})
        return contract

    def outcome(self, heldout: str = HELD_OUT) -> None:
        facts = {"contract": self.contract["digest"], "heldout": heldout}
        append_event(ledger_path(self.seals, "study"), FIRST_OUTCOME, facts)

    def seal(self, alpha: float = 0.05, contrast: str = "gain") -> str:
        """Seal the campaign; the digest of its family."""
        values = {
            "studies": ["study"],
            "tests": {"t": {"study": "study", "contrast": contrast}},
            "alpha": alpha,
        }
        config = CampaignConfig.model_validate(values)
        contract = campaign_contract("c", config, {"study": self.contract})
        log_sealed(self.seals, contract)
        return family_digest(contract["sections"])

    def in_time(self, family: str, heldout: str = HELD_OUT) -> bool:
        own, study = (read_ledger(ledger_path(self.seals, name)) for name in ("campaign_c", "study"))
        return sealed_in_time(own, family, "study", study, heldout)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return Campaign(tmp_path)


def test_a_family_sealed_before_outcomes_is_in_time_and_stays_so(campaign: Campaign) -> None:
    family = campaign.seal()
    campaign.outcome()
    assert campaign.in_time(family)
    assert campaign.in_time(campaign.seal())


def test_a_family_sealed_after_outcomes_is_late(campaign: Campaign) -> None:
    campaign.outcome()
    assert not campaign.in_time(campaign.seal())


def test_a_family_changed_after_outcomes_is_late(campaign: Campaign) -> None:
    campaign.seal()
    campaign.outcome()
    assert not campaign.in_time(campaign.seal(alpha=0.1))


def test_outcomes_of_other_tasks_do_not_make_it_late(campaign: Campaign) -> None:
    campaign.outcome("other tasks")
    assert campaign.in_time(campaign.seal())


def test_a_study_whose_later_contract_leaves_the_family_alone_keeps_it_in_time(campaign: Campaign) -> None:
    family = campaign.seal()
    campaign.outcome()
    campaign.contract = campaign.seal_study("study", description="another")
    assert campaign.seal() == family
    assert campaign.in_time(family)


def test_a_seal_does_not_count_where_the_studys_ledger_was_begun_anew(campaign: Campaign) -> None:
    family = campaign.seal()
    path = ledger_path(campaign.seals, "study")
    path.unlink()
    campaign.seal_study("study", description="another")
    campaign.outcome()
    assert not campaign.in_time(family)


def test_a_test_that_its_study_does_not_declare_is_refused(campaign: Campaign) -> None:
    with pytest.raises(InputError, match=r"found: *'nothing'"):
        campaign.seal(contrast="nothing")
