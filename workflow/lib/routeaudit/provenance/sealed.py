"""What a study promised before outcomes: its contract as sealed, its ledger, its frozen routes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.errors import InputError
from routeaudit.provenance.contract import held_sections, make_contract
from routeaudit.provenance.folder import Folder, Record
from routeaudit.provenance.ledger import FROZEN, SEALED, Event, ledger_path, read_ledger
from routeaudit.provenance.links import SHORT, Broken, Fault, from_error, inconsistent, missing
from routeaudit.provenance.params import parsed_params
from routeaudit.tables import read_json, read_table, table_digest
from routeaudit.tables.artifacts import FROZEN_ROUTES, ROUTES

_CONTRACT_FILE = "contract.json"
_ROUTES_FILE = "routes.parquet"
_SEAL_AGAIN = "seal anew (snakemake --force CONTRACT) or use another study name"


@dataclass(frozen=True)
class SealedStudy:
    """A study's contract and ledger.

    Parameters
    ----------
    path : the contract file as records call it
    contract : what it says
    events : the whole ledger
    ledger : the ledger file
    """

    name: str
    path: str
    contract: Mapping[str, Any]
    events: tuple[Event, ...]
    ledger: Path

    def frozen(self, policy: str) -> frozenset[str]:
        """Digests of all routes of a policy that were ever frozen."""
        facts = [event.facts for event in self.events if event.event == FROZEN]
        return frozenset(str(fact.get("routes")) for fact in facts if fact.get("policy") == policy)


def studies_under_contract(folder: Folder) -> dict[str, str]:
    """Study -> path of its contract file, for every study of the folder that has one or should."""
    found = {}
    for path, record in sorted(folder.records.items()):
        if isinstance(record, Record) and (record.contract or path.endswith(f"/{_CONTRACT_FILE}")):
            home = PurePosixPath(*PurePosixPath(path).parts[:2])
            found[record.study] = (home / _CONTRACT_FILE).as_posix()
    return found


def read_sealed(folder: Folder, study: str, path: str) -> SealedStudy | Broken:
    """Read a study's contract and ledger, or say what is wrong with them."""
    file, ledger = folder.file(path), ledger_path(folder.root / "seals", study)
    if not file.is_file():
        return missing(path, f"the contract under which study {study} was run")
    try:
        events = read_ledger(ledger)
    except InputError as error:
        return from_error(Fault.LEDGER, error)
    try:
        contract = _read_contract(file, study)
    except InputError as error:
        return from_error(Fault.CORRUPT, error)
    return SealedStudy(study, path, contract, events, ledger)


def _read_contract(file: Path, study: str) -> Mapping[str, Any]:
    contract: Any = read_json(file)
    sections = contract.get("sections") if isinstance(contract, dict) else None
    if not isinstance(sections, dict) or contract != make_contract(study, sections):
        raise InputError(
            str(file),
            f"a contract of study {study} whose digests follow from its sections",
            "other digests, or no contract",
            _SEAL_AGAIN.replace("CONTRACT", str(file)),
        )
    return dict(contract)


def check_seal(sealed: SealedStudy, expected: str | None) -> Iterator[Broken]:
    """The contract is in the ledger and, where one is expected, it is that one."""
    digest = str(sealed.contract["digest"])
    if digest not in {event.facts.get("contract") for event in sealed.events if event.event == SEALED}:
        yield Broken(
            Fault.LEDGER,
            str(sealed.ledger),
            f"an event that seals contract {digest[:SHORT]} of study {sealed.name}",
            f"{len(sealed.events)} events, none of which does",
            f"restore the ledger from git, or {_SEAL_AGAIN.replace('CONTRACT', sealed.path)}",
        )
    if expected is not None and expected != digest:
        yield Broken(
            Fault.OTHER_CONTRACT,
            sealed.path,
            f"the contract that the present configuration makes, {expected[:SHORT]}",
            f"the sealed contract {digest[:SHORT]}",
            _SEAL_AGAIN.replace("CONTRACT", sealed.path),
        )


def check_contract(path: str, record: Record, sealed: SealedStudy) -> Iterator[Broken]:
    """What the stage was told equals what was sealed, for every section it depends on.

    The digest of the whole contract may differ: sealing anew keeps what rests on unchanged sections.
    """
    params = parsed_params(record.params)
    if not isinstance(params, dict):
        yield inconsistent(path, "params that are a JSON object", record.params[:60])
        return
    try:
        held = held_sections(params, sealed.contract, path)
    except InputError as error:
        yield from_error(Fault.OTHER_CONTRACT, error)
        return
    if held != dict(record.contract_sections):
        yield inconsistent(path, "contract_sections as params give them", f"{dict(record.contract_sections)}")


def check_frozen(path: str, file: Path, sealed: SealedStudy) -> Iterator[Broken]:
    """The routes of every policy are ones that the ledger says were frozen."""
    if PurePosixPath(path) != PurePosixPath(sealed.path).with_name(_ROUTES_FILE):
        return
    routes = read_table(file, FROZEN_ROUTES)
    for policy in sorted(pc.unique(routes["policy"]).to_pylist()):
        digest, frozen = routes_digest(routes, policy), sealed.frozen(policy)
        if digest not in frozen:
            yield Broken(
                Fault.NOT_FROZEN,
                f"{path}, policy {policy!r}",
                f"routes that {sealed.ledger} calls frozen: {_short(frozen) or 'none of this policy'}",
                f"routes with digest {digest[:SHORT]}",
                f"restore the routes or the ledger from git, or freeze anew: snakemake --force {path}",
            )


def routes_digest(routes: pa.Table, policy: str) -> str:
    """Digest of one policy's rows of a FROZEN_ROUTES table, as the ledger has it."""
    own = routes.filter(pc.equal(routes["policy"], policy)).select(ROUTES.fields.names)
    return table_digest(ROUTES.conform(own, f"routes of {policy!r}"))


def _short(digests: frozenset[str]) -> str:
    return ", ".join(sorted(digest[:SHORT] for digest in digests))
