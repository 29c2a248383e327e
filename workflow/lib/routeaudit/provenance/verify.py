"""Check a folder of results against its records, contracts and ledgers; name the first broken link.

Snakemake trusts what is there: after a corrupted, deleted or swapped file it says "Nothing to be done".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pyarrow as pa

from routeaudit.errors import InputError
from routeaudit.provenance.folder import Folder, Record, read_folder
from routeaudit.provenance.lineage import dependency_order
from routeaudit.provenance.links import (
    Broken,
    Fault,
    corrupt,
    from_error,
    inconsistent,
    missing,
    stale,
    unrecorded,
)
from routeaudit.provenance.records import record_key
from routeaudit.provenance.sealed import (
    SealedStudy,
    check_contract,
    check_frozen,
    check_seal,
    read_sealed,
    studies_under_contract,
)
from routeaudit.tables import content_digest, file_digest


@dataclass(frozen=True)
class Verified:
    """How much was checked, and the first broken link in dependency order if there is one."""

    artifacts: int
    records: int
    ledgers: int
    broken: Broken | None


def verify(place: Path, contracts: Mapping[str, str] | None = None) -> Verified:
    """Check everything under `place`: ledgers and contracts first, then each artifact after its inputs.

    Parameters
    ----------
    place : a results folder or a part of it
    contracts : study -> digest of the contract that its present configuration makes, where the sealed
        one must be that

    Raises
    ------
    InputError : no such folder, or nothing in it.
    """
    folder = read_folder(place)
    if not folder.files and not folder.records:
        raise InputError(str(place), "artifacts to verify", "an empty folder", "run the workflow first")
    studies = studies_under_contract(folder)
    broken = next(_links(folder, studies, contracts or {}), None)
    return Verified(len(folder.files), len(folder.records), len(studies), broken)


def _links(folder: Folder, studies: Mapping[str, str], contracts: Mapping[str, str]) -> Iterator[Broken]:
    sealed = {}
    for study, path in studies.items():
        found = read_sealed(folder, study, path)
        if isinstance(found, Broken):
            yield found
            return
        sealed[study] = found
        yield from check_seal(found, contracts.get(study))
    try:
        order = dependency_order(folder)
    except InputError as error:
        yield from_error(Fault.INCONSISTENT, error)
        return
    check = _ArtifactCheck(folder, sealed)
    for path in order:
        yield from check.links(path)


@dataclass(frozen=True)
class _ArtifactCheck:
    """Checks single artifacts of a folder; remembers contents so that each file is read once."""

    folder: Folder
    sealed: Mapping[str, SealedStudy]
    contents: dict[str, str] = field(default_factory=dict)

    def links(self, path: str) -> Iterator[Broken]:
        """The broken links of one artifact or source."""
        try:
            record = self.folder.record(path)
        except InputError as error:
            yield from_error(Fault.INCONSISTENT, error)
            return
        if not self.folder.file(path).is_file():
            yield missing(path, "the artifact that its record describes" if record else self._needed_by(path))
        elif record is not None:
            yield from self._recorded(path, record)
        elif PurePosixPath(path).is_relative_to(self.folder.prefix):
            yield unrecorded(path)

    def _recorded(self, path: str, record: Record) -> Iterator[Broken]:
        yield from _consistent(path, record)
        yield from self._intact(path, record)
        for source, digest in sorted(record.inputs.items()):
            if self._content(source) != digest:
                yield stale(path, source, digest, self._content(source))
        if record.contract is not None:
            yield from check_contract(path, record, self.sealed[record.study])
            yield from check_frozen(path, self.folder.file(path), self.sealed[record.study])

    def _intact(self, path: str, record: Record) -> Iterator[Broken]:
        file, output = self.folder.file(path), record.output
        if file.stat().st_size != output.bytes:
            yield corrupt(path, f"{output.bytes} bytes", f"{file.stat().st_size} bytes")
        elif (found := file_digest(file)) != output.sha256:
            yield corrupt(path, f"sha256 {output.sha256}", f"sha256 {found}")
        elif self._content(path) != output.content:
            yield inconsistent(path, f"content {self._content(path)}", f"content {output.content}")

    def _content(self, path: str) -> str:
        if path not in self.contents:
            try:
                self.contents[path] = content_digest(self.folder.file(path))
            except (OSError, pa.ArrowException) as error:
                self.contents[path] = f"unreadable: {error}"
        return self.contents[path]

    def _needed_by(self, path: str) -> str:
        users = [
            user
            for user, record in sorted(self.folder.records.items())
            if isinstance(record, Record) and path in record.inputs
        ]
        return f"the input that {users[0]} was made from"


def _consistent(path: str, record: Record) -> Iterator[Broken]:
    if record.output.path != path:
        yield inconsistent(path, f"a record of {path}", f"a record of {record.output.path}")
    key = record_key(record.stage, record.params, record.inputs, record.code)
    if key != record.key:
        yield inconsistent(path, f"key {key}, as stage, params, inputs and code give", f"key {record.key}")
