"""Evidential status follows from facts, and facts can only lower it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.cover.scoring.status import EvidentialStatus, Facts, Status, combine, evidential_status

BEST = Facts(
    information_set="public",
    sealed_before_first_outcome=True,
    routes_frozen_before_first_outcome=True,
    in_holm_family=True,
    confined=True,
)
WORSE = {
    "information_set": "privileged",
    "sealed_before_first_outcome": False,
    "routes_frozen_before_first_outcome": False,
    "in_holm_family": False,
    "confined": False,
    "makes_a_claim": False,
    "tuned_after_outcomes": True,
    "earlier_looks": True,
    "data_new_since_last_look": False,
    "seal_attested": False,
}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, Status.primary),
        ({"information_set": "privileged"}, Status.positive_control),
        ({"information_set": "privileged", "earlier_looks": True}, Status.positive_control),
        ({"in_holm_family": False}, Status.secondary),
        ({"confined": False}, Status.secondary),
        ({"earlier_looks": True}, Status.secondary),
        ({"earlier_looks": True, "data_new_since_last_look": False}, Status.retrospective),
        ({"sealed_before_first_outcome": False}, Status.retrospective),
        ({"routes_frozen_before_first_outcome": False}, Status.retrospective),
        ({"tuned_after_outcomes": True}, Status.retrospective),
        ({"makes_a_claim": False}, Status.descriptive),
    ],
)
def test_status_of_one_departure_from_the_ideal(change, status):
    assert evidential_status(replace(BEST, **change)).status == status


LATER = sorted(set(WORSE) - {"information_set"})


@given(st.sets(st.sampled_from(sorted(WORSE))), st.sampled_from(LATER))
def test_no_further_departure_ever_raises_the_status(already, further):
    facts = replace(BEST, **{name: WORSE[name] for name in already})
    assert (
        evidential_status(replace(facts, **{further: WORSE[further]})).status
        <= evidential_status(facts).status
    )


@given(st.sets(st.sampled_from(sorted(WORSE))))
def test_privileged_or_unconfined_routes_are_never_primary(departures):
    facts = replace(BEST, **{name: WORSE[name] for name in departures})
    assert evidential_status(replace(facts, information_set="privileged")).status != Status.primary
    assert evidential_status(replace(facts, confined=False)).status != Status.primary


def test_late_prospective_and_unattested_are_said_in_words():
    late = evidential_status(replace(BEST, earlier_looks=True, seal_attested=False))
    assert str(late) == "secondary, late prospective, frozen within this run"
    assert late.reasons == ("late_prospective",)


def test_a_contrast_takes_the_lowest_status_and_keeps_every_reason():
    low = EvidentialStatus(Status.retrospective, ("tuned_after_outcomes",))
    found = combine([EvidentialStatus(Status.primary), low])
    assert found.status == Status.retrospective
    assert found.reasons == ("tuned_after_outcomes",)
    assert found.nominal_p
