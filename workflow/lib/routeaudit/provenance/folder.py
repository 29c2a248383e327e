"""A folder of results as it lies on disk: its artifacts, their records, and where recorded paths point.

Records name files relative to the project root. A folder that was copied elsewhere still reads: the part
of each recorded path that leads to the folder is replaced by where the folder lies now.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from routeaudit.errors import InputError
from routeaudit.provenance.records import RECORD_SCHEMA, RECORD_SUFFIX, read_record, record_path

# Journals and logs are working material: append-only or rewritten, never declared as artifacts.
WORKING_FOLDERS = frozenset({"journal", "logs"})
_PARTIAL = re.compile(r"\.tmp\.\d+$")

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Part(BaseModel):
    """A part of a record as read back; what it does not name is left aside."""

    model_config = ConfigDict(frozen=True, strict=True)


class Output(_Part):
    """The artifact a record describes: `sha256` of its bytes, `content` digest of what it says."""

    path: str
    sha256: Digest
    content: Digest
    bytes: Annotated[int, Field(ge=0)]


class Record(_Part):
    """A record whose types have been checked. The fields are those that `records.write_record` writes."""

    schema_name: Annotated[str, Field(alias="schema", pattern=f"^{re.escape(RECORD_SCHEMA)}$")]
    stage: str
    study: str
    output: Output
    inputs: Mapping[str, Digest]
    params: str
    code: str
    contract: Digest | None
    contract_sections: Mapping[str, Digest]
    model: Mapping[str, Any] | None
    environment: Mapping[str, Any]
    git: Mapping[str, Any]
    command: Annotated[tuple[str, ...], Field(strict=False)]
    run: Mapping[str, Any]
    key: Digest


def load_record(artifact: Path) -> Record:
    """Read and check the record of `artifact`.

    Raises
    ------
    InputError : there is none, it does not parse, a field is missing or of another type, or a path in it
        leads out of the project.
    """
    record = record_path(artifact)
    if not record.is_file():
        raise InputError(
            str(artifact),
            f"an artifact with its record {record.name} beside it",
            "no record" if artifact.exists() else "no such file",
            "name a file that a stage wrote, or rerun its stage; sources have no record",
        )
    raw = read_record(artifact)
    try:
        checked = Record.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        found = f"{first['msg']} (input {str(first['input'])[:60]!r})"
        raise InputError(
            f"{record}, key {place!r}", f"a {RECORD_SCHEMA} record", found, "rerun the stage that wrote it"
        ) from None
    for path in (checked.output.path, *checked.inputs):
        _check_inside(path, record)
    return checked


def _check_inside(path: str, record: Path) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise InputError(
            str(record),
            "paths inside the project, relative to its root",
            repr(path),
            "do not trust this record; rerun the stage",
        )


@dataclass(frozen=True)
class Folder:
    """Artifacts under one folder.

    Parameters
    ----------
    place : the folder on disk
    prefix : how records call it, relative to the project root, for example ``results/demo``
    root : the project root; what lies outside `place` is looked up from here
    records : recorded path -> its record, or the error that reading it gave
    files : recorded-style paths of all artifact files present, with and without a record
    """

    place: Path
    prefix: str
    root: Path
    records: Mapping[str, Record | InputError]
    files: frozenset[str]

    def file(self, path: str) -> Path:
        """Where a recorded path lies now."""
        inside = PurePosixPath(path)
        if inside.is_relative_to(self.prefix):
            return self.place / inside.relative_to(self.prefix)
        return self.root / path

    def record(self, path: str) -> Record | None:
        """The record of an artifact, or None for a source.

        Raises
        ------
        InputError : the record cannot be used.
        """
        found = self.records.get(path)
        if isinstance(found, InputError):
            raise found
        return found


def read_folder(place: Path) -> Folder:
    """Read all records under `place`; working folders, hidden files and torn writes are left aside.

    Raises
    ------
    InputError : no such folder.
    """
    if not place.is_dir():
        raise InputError(str(place), "a folder of results", "no such folder", "run the workflow first")
    names = sorted(_files(place))
    artifacts = {name for name in names if not name.endswith(RECORD_SUFFIX)}
    recorded = [name.removesuffix(RECORD_SUFFIX) for name in names if name.endswith(RECORD_SUFFIX)]
    loaded = {name: _loaded(place / name) for name in recorded}
    prefix = _prefix(loaded, place)
    return Folder(
        place,
        prefix,
        _root(place, prefix),
        {_join(prefix, name): record for name, record in loaded.items()},
        frozenset(_join(prefix, name) for name in artifacts),
    )


def folder_of(artifact: Path) -> tuple[Folder, str]:
    """The whole results folder that `artifact` lies in, and the artifact's path as records call it.

    A file without a record may be a source: it is looked for in ``results/`` of the working directory.

    Raises
    ------
    InputError : an unreadable record, or no record and no results that could name the file.
    """
    if not record_path(artifact).exists() and Path("results").is_dir():
        return read_folder(Path("results")), Path(os.path.relpath(artifact)).as_posix()
    recorded = PurePosixPath(load_record(artifact).output.path).parts
    place = _absolute(artifact)
    depth = min(_shared_tail(recorded, place.parts), len(recorded) - 1)
    top = place.parents[max(depth - 1, 0)]
    folder = read_folder(top)
    return folder, _join(folder.prefix, place.relative_to(top).as_posix())


def _shared_tail(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    pairs = zip(reversed(left), reversed(right), strict=False)
    return next((count for count, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _loaded(artifact: Path) -> Record | InputError:
    try:
        return load_record(artifact)
    except InputError as error:
        return error


def _files(place: Path) -> Iterator[str]:
    for folder, subfolders, names in os.walk(place):
        subfolders[:] = [s for s in subfolders if s not in WORKING_FOLDERS and not s.startswith(".")]
        for name in names:
            if not name.startswith(".") and not _PARTIAL.search(name):
                yield (Path(folder) / name).relative_to(place).as_posix()


def _prefix(loaded: Mapping[str, Record | InputError], place: Path) -> str:
    """How most records call `place`: their output path less the artifact's place in the folder."""
    told = Counter(
        record.output.path.removesuffix(name).rstrip("/")
        for name, record in loaded.items()
        if isinstance(record, Record) and record.output.path.endswith(name)
    )
    if told:
        return told.most_common(1)[0][0]
    here = os.path.relpath(place)
    return place.name if here.startswith("..") else Path(here).as_posix()


def _root(place: Path, prefix: str) -> Path:
    whole, tail = _absolute(place), PurePosixPath(prefix).parts
    if tail and whole.parts[-len(tail) :] == tail:
        root = whole.parents[len(tail) - 1]
        return Path() if root == Path.cwd() else root
    return Path()


def _absolute(path: Path) -> Path:
    """Absolute with links kept: results/ may be a link to a scratch disk, its root is still the project."""
    return Path(os.path.abspath(path))


def _join(prefix: str, name: str) -> str:
    return (PurePosixPath(prefix) / name).as_posix()
