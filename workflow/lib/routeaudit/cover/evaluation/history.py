"""What the ledger says about a policy or a test: the facts from which evidential status is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from routeaudit.cover.scoring.status import EvidentialStatus, Facts, combine, evidential_status
from routeaudit.provenance.contract import part_digests, section_digest
from routeaudit.provenance.ledger import FIRST_OUTCOME, FROZEN, LOOK, SEALED, Event

# What decides which outcomes a policy gets; a change after outcomes were seen is tuning.
_DESIGN = ("benchmark", "split", "family", "stacks", "coverage", "endpoints")
_NEVER = float("inf")


@dataclass(frozen=True)
class History:
    """One study's ledger, read for its current contract and held-out tasks.

    Parameters
    ----------
    events : the whole ledger, oldest first
    contract : the sealed contract in force
    heldout : digest of the held-out tasks
    sources : digests of the sources of the held-out tasks
    headers : policy -> header of its frozen routes
    """

    events: Sequence[Event]
    contract: Mapping[str, Any]
    heldout: str
    sources: frozenset[str]
    headers: Mapping[str, Mapping[str, Any]]

    def policy(self, name: str, endpoint: str) -> EvidentialStatus:
        """Status of a policy's own scores on an endpoint."""
        primary = self.contract["sections"]["tests"]["primary"]
        headline = self.contract["sections"]["endpoints"]["primary"]
        named = any(
            name in (c["policy"], c["reference"]) and (c.get("endpoint") or headline) == endpoint
            for c in primary.values()
        )
        return self._status(name, claim=self._tested(name), family=named and self._family_sealed())

    def contrast(self, part: str, identifier: str, policies: Sequence[str]) -> EvidentialStatus:
        """Status of a contrast of `part` (``primary`` or ``secondary``): the lowest of its policies'."""
        primary = part == "primary"
        timely = self._family_sealed() if primary else self._part_sealed(part, identifier)
        return combine(self._status(name, claim=True, family=primary, tuned=not timely) for name in policies)

    def effect(self, identifier: str, policies: Sequence[str]) -> EvidentialStatus:
        """Status of a further effect of a primary contrast, outside of the Holm family."""
        timely = self._part_sealed("primary", identifier)
        return combine(self._status(name, claim=True, family=False, tuned=not timely) for name in policies)

    def criterion(self, identifier: str, policy: str) -> EvidentialStatus:
        """Status of a declared bar; one that was sealed in time stands beside the Holm family."""
        timely = self._part_sealed("criteria", identifier)
        return self._status(policy, claim=True, family=True, tuned=not timely)

    def _status(self, name: str, claim: bool, family: bool, tuned: bool = False) -> EvidentialStatus:
        header = self.headers[name]
        earlier = self._earlier_looks()
        return evidential_status(
            Facts(
                information_set="privileged" if header["information_set"] == "privileged" else "public",
                sealed_before_first_outcome=self._sealed_before(name),
                routes_frozen_before_first_outcome=self._frozen_before(name),
                in_holm_family=family,
                confined=header["mechanism"] != "none",
                makes_a_claim=claim,
                tuned_after_outcomes=tuned,
                earlier_looks=bool(earlier),
                data_new_since_last_look=all(
                    self.sources.isdisjoint(e.witnessed["sources"]) for e in earlier
                ),
                seal_attested=self._attested(),
            )
        )

    def _tested(self, name: str) -> bool:
        tests = self.contract["sections"]["tests"]
        contrasts = (*tests["primary"].values(), *tests["secondary"].values())
        return any(name in (c["policy"], c["reference"]) for c in contrasts) or any(
            c["policy"] == name for c in tests["criteria"].values()
        )

    @property
    def _first(self) -> float:
        """Place of the first outcome of these held-out tasks in the ledger."""
        mine = (e.seq for e in self.events if e.event == FIRST_OUTCOME and e.facts["heldout"] == self.heldout)
        return min(mine, default=_NEVER)

    def _seals(self) -> list[Event]:
        """Seals before the first outcome whose design is the one in force."""
        design = {name: self.contract["section_digests"].get(name) for name in _DESIGN}
        return [
            e
            for e in self.events
            if e.event == SEALED
            and e.seq < self._first
            and all(e.facts["sections"].get(name) == digest for name, digest in design.items())
        ]

    def _sealed_before(self, policy: str) -> bool:
        wanted = section_digest(self.contract["sections"]["routers"][policy])
        return any(e.facts["routers"].get(policy) == wanted for e in self._seals())

    def _frozen_before(self, policy: str) -> bool:
        return any(
            e.event == FROZEN
            and e.seq < self._first
            and e.facts["policy"] == policy
            and e.facts["heldout"] == self.heldout
            and e.facts["routes"] == self.headers[policy]["routes_digest"]
            for e in self.events
        )

    def _family_sealed(self) -> bool:
        """Whether the Holm family in force and its statistics were sealed before the first outcome."""
        family = part_digests(self.contract["sections"]["tests"]["primary"])
        return any(e.facts["primary"] == family for e in self._seals_with_these_statistics())

    def _part_sealed(self, part: str, identifier: str) -> bool:
        wanted = section_digest(self.contract["sections"]["tests"][part][identifier])
        return any(e.facts[part].get(identifier) == wanted for e in self._seals_with_these_statistics())

    def _seals_with_these_statistics(self) -> list[Event]:
        stats = self.contract["section_digests"]["stats"]
        return [e for e in self._seals() if e.facts["sections"]["stats"] == stats]

    def _earlier_looks(self) -> list[Event]:
        """Looks at other held-out results of this study before its present design was sealed."""
        sealed = min((e.seq for e in self._seals()), default=_NEVER)
        return [
            e
            for e in self.events
            if e.event == LOOK and e.facts["heldout"] != self.heldout and e.seq < sealed
        ]

    def _attested(self) -> bool:
        mine = [e for e in self.events if e.event == FIRST_OUTCOME and e.facts["heldout"] == self.heldout]
        return bool(mine) and bool(mine[0].witnessed.get("seal_committed"))
