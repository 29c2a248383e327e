"""The events of a study that its ledger keeps, and the check that routes are the frozen ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.errors import InputError
from routeaudit.provenance.contract import part_digests
from routeaudit.provenance.ledger import (
    FIRST_OUTCOME,
    FROZEN,
    LOOK,
    SEALED,
    Event,
    append_event,
    committed,
    ledger_path,
    read_ledger,
)
from routeaudit.tables import canonical_json, text_digest
from routeaudit.tables.artifacts import SPLIT_HELDOUT


@dataclass(frozen=True)
class HeldOut:
    """Identity of the held-out tasks: a digest over their original ids, and one per source."""

    digest: str
    sources: tuple[str, ...]

    @classmethod
    def of(cls, index: pa.Table) -> HeldOut:
        """Read from index/tasks."""
        rows = index.filter(pc.equal(index["split"], SPLIT_HELDOUT)).to_pylist()
        originals = sorted(row["original_id"] for row in rows)
        sources = {text_digest(source)[:16] for row in rows for source in row["source_ids"]}
        return cls(text_digest(canonical_json(originals)), tuple(sorted(sources)))


def sealed_facts(contract: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a `sealed` event: digests of the contract, its sections, its routers and its tests."""
    tests = contract["sections"].get("tests", {})
    return {
        "contract": contract["digest"],
        "sections": dict(contract["section_digests"]),
        "routers": part_digests(contract["sections"].get("routers", {})),
        **{part: part_digests(tests.get(part, {})) for part in ("primary", "secondary", "criteria")},
    }


def log_sealed(seals: Path, study: str, contract: Mapping[str, Any]) -> Event:
    """A contract was sealed."""
    return append_event(ledger_path(seals, study), SEALED, sealed_facts(contract))


def log_frozen(seals: Path, study: str, contract: str, heldout: HeldOut, header: Mapping[str, Any]) -> Event:
    """A policy's routes for the held-out tasks were frozen."""
    facts = {"policy": header["policy"], "routes": header["routes_digest"], "heldout": heldout.digest}
    witnessed = {name: header[name] for name in ("information_set", "mechanism")} | {"contract": contract}
    return append_event(ledger_path(seals, study), FROZEN, facts, witnessed)


def log_first_outcome(seals: Path, study: str, contract: str, heldout: HeldOut) -> Event:
    """Held-out outcomes of this contract exist from now on."""
    path = ledger_path(seals, study)
    seal = next((e for e in read_ledger(path) if e.event == SEALED and e.facts["contract"] == contract), None)
    witnessed = {
        "sources": list(heldout.sources),
        "seal_committed": seal is not None and committed(path, seal),
    }
    return append_event(path, FIRST_OUTCOME, {"contract": contract, "heldout": heldout.digest}, witnessed)


def log_look(seals: Path, study: str, contract: str, heldout: HeldOut) -> Event:
    """Held-out results of this contract were computed for reading."""
    facts = {"contract": contract, "heldout": heldout.digest}
    return append_event(ledger_path(seals, study), LOOK, facts, {"sources": list(heldout.sources)})


def check_frozen(seals: Path, study: str, heldout: HeldOut, digests: Mapping[str, str]) -> None:
    """Hold the routes about to be scored against the ledger.

    Parameters
    ----------
    digests : policy -> digest of its routes

    Raises
    ------
    InputError : a policy whose routes were never frozen, or differ from every frozen version.
    """
    path = ledger_path(seals, study)
    frozen = {
        (e.facts["policy"], e.facts["routes"])
        for e in read_ledger(path)
        if e.event == FROZEN and e.facts["heldout"] == heldout.digest
    }
    for policy, digest in digests.items():
        if (policy, digest) not in frozen:
            known = sorted(routes[:12] for name, routes in frozen if name == policy)
            raise InputError(
                f"routes of {policy!r}",
                f"routes frozen in {path}: digest {', '.join(known) or 'none'}",
                f"routes with digest {digest[:12]}",
                "routes were changed after freezing; run the stage again: snakemake -R freeze",
            )
