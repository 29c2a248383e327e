"""Evidential status, computed from what the ledger and the information set say, never typed by hand (A9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

InformationSet = Literal["public", "privileged"]


class Status(IntEnum):
    """Evidential status in rising order; a combination takes the lowest."""

    descriptive = 0
    retrospective = 1
    secondary = 2
    positive_control = 3
    primary = 4


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the ledger, the contract and the run say about one policy or contrast.

    ``sealed_before_first_outcome`` and ``routes_frozen_before_first_outcome`` compare with the first HELD-OUT
    outcome. ``confined`` is whether the kernel confined the process that fitted the routes.
    ``tuned_after_outcomes`` is any design choice after held-out outcomes were visible.
    ``data_new_since_last_look`` is whether the held-out tasks were unseen although results of an earlier
    contract of the lineage had been looked at. ``seal_attested`` is whether the seal was committed or stamped
    before the first outcome.
    """

    information_set: InformationSet
    sealed_before_first_outcome: bool
    routes_frozen_before_first_outcome: bool
    in_holm_family: bool
    confined: bool
    makes_a_claim: bool = True
    tuned_after_outcomes: bool = False
    earlier_looks: bool = False
    data_new_since_last_look: bool = True
    seal_attested: bool = True


@dataclass(frozen=True)
class EvidentialStatus:
    """A status, why it is not higher, and the display words that go with it."""

    status: Status
    reasons: tuple[str, ...] = ()
    late_prospective: bool = False
    attested: bool = True

    @property
    def nominal_p(self) -> bool:
        """Whether its p-values must be shown as nominal."""
        return self.status <= Status.retrospective

    def __str__(self) -> str:
        words = [self.status.name.replace("_", " ")]
        if self.late_prospective:
            words.append("late prospective")
        if not self.attested:
            words.append("frozen within this run")
        return ", ".join(words)


def evidential_status(facts: Facts) -> EvidentialStatus:
    """Status that the facts allow; every departure from the ideal can only lower it.

    Privileged information is never primary: a pre-specified privileged policy is a positive control, whatever
    else holds short of retrospective, so that it is never mistaken for deployment evidence.
    """
    if not facts.makes_a_claim:
        return EvidentialStatus(Status.descriptive, ("no_claim",), attested=facts.seal_attested)
    spoiled = _retrospective_reasons(facts)
    if spoiled:
        return EvidentialStatus(Status.retrospective, spoiled, attested=facts.seal_attested)
    reasons = _secondary_reasons(facts)
    if facts.information_set == "privileged":
        status, reasons = Status.positive_control, ("privileged_information", *reasons)
    else:
        status = Status.secondary if reasons else Status.primary
    return EvidentialStatus(status, reasons, facts.earlier_looks, facts.seal_attested)


def _retrospective_reasons(facts: Facts) -> tuple[str, ...]:
    found = {
        "not_sealed_before_first_outcome": not facts.sealed_before_first_outcome,
        "routes_not_frozen_before_first_outcome": not facts.routes_frozen_before_first_outcome,
        "tuned_after_outcomes": facts.tuned_after_outcomes,
        "held_out_data_seen_by_an_earlier_look": facts.earlier_looks and not facts.data_new_since_last_look,
    }
    return tuple(reason for reason, holds in found.items() if holds)


def _secondary_reasons(facts: Facts) -> tuple[str, ...]:
    found = {
        "not_in_holm_family": not facts.in_holm_family,
        "no_kernel_confinement": not facts.confined,
        "late_prospective": facts.earlier_looks,
    }
    return tuple(reason for reason, holds in found.items() if holds)


def combine(statuses: Iterable[EvidentialStatus]) -> EvidentialStatus:
    """Status of a contrast of several policies: the lowest of theirs, with every reason once."""
    found = tuple(statuses)
    lowest = min(found, key=lambda status: status.status)
    reasons = tuple(dict.fromkeys(reason for status in found for reason in status.reasons))
    late = any(status.late_prospective for status in found)
    return EvidentialStatus(lowest.status, reasons, late, all(status.attested for status in found))
