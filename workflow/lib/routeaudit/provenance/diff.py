"""What differs between two artifacts or two folders of results, and what of it is the cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from routeaudit.errors import InputError
from routeaudit.provenance.folder import Folder, Record, load_record, read_folder
from routeaudit.provenance.lineage import dependency_order
from routeaudit.provenance.links import SHORT
from routeaudit.provenance.params import flat, parsed_params, shortened
from routeaudit.provenance.rows import compare_tables
from routeaudit.tables import content_digest

_ABSENT = "(absent)"


@dataclass(frozen=True)
class ArtifactDiff:
    """Two artifacts compared.

    Parameters
    ----------
    name : the artifact's path within its study
    equal : whether the contents agree
    causes : differences of stage, parameters, code, model and contract sections
    inputs : differences of the inputs, by path within the study
    surroundings : differences of environment and commit, which change no key
    contents : how the contents differ
    """

    name: str
    equal: bool
    causes: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    surroundings: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The comparison as text."""
        yield f"{self.name}: {'equal content' if self.equal else 'contents differ'}"
        for line in (*self.causes, *self.inputs, *self.contents, *self.surroundings):
            yield f"  {line}"


@dataclass(frozen=True)
class FolderDiff:
    """Two folders of results compared, artifacts in dependency order."""

    artifacts: tuple[ArtifactDiff, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether both hold the same artifacts with the same contents."""
        return not (self.only_first or self.only_second) and all(each.equal for each in self.artifacts)

    def lines(self) -> Iterator[str]:
        """The comparison as text: own causes in full, what only follows from its inputs in one line."""
        same = sum(each.equal for each in self.artifacts)
        total = len(self.artifacts)
        yield f"{total} artifacts in both: {same} with equal content, {total - same} differ"
        for title, names in (
            ("only in the first", self.only_first),
            ("only in the second", self.only_second),
        ):
            yield from (f"{title}: {name}" for name in names)
        for each in self.artifacts:
            if each.causes or (not each.equal and not each.inputs):
                yield from each.lines()
            elif not each.equal:
                yield f"{each.name}: contents differ, through {'; '.join(each.inputs)}"
        yield from _shared_surroundings(self.artifacts)


def diff(first: Path, second: Path) -> ArtifactDiff | FolderDiff:
    """Compare two artifacts or two folders.

    Raises
    ------
    InputError : a file without a usable record, or a file and a folder.
    """
    if first.is_dir() != second.is_dir():
        raise InputError(
            f"{first} and {second}",
            "two artifacts or two folders",
            "a file and a folder",
            "name two of a kind",
        )
    if first.is_dir():
        return _folders(read_folder(first), read_folder(second))
    records = load_record(first), load_record(second)
    return _artifacts(_name(records[0]), (first, records[0]), (second, records[1]))


def _folders(first: Folder, second: Folder) -> FolderDiff:
    names = {_inside(first, path): path for path in dependency_order(first) if path in first.records}
    others = {_inside(second, path): path for path in second.records}
    both = [name for name in names if name in others]
    return FolderDiff(
        tuple(_artifacts(n, _both(first, names[n]), _both(second, others[n])) for n in both),
        tuple(sorted(names.keys() - others.keys())),
        tuple(sorted(others.keys() - names.keys())),
    )


def _inside(folder: Folder, path: str) -> str:
    return PurePosixPath(path).relative_to(folder.prefix).as_posix()


def _both(folder: Folder, path: str) -> tuple[Path, Record]:
    record = folder.record(path)
    assert record is not None
    return folder.file(path), record


def _name(record: Record) -> str:
    return _within_study(record.output.path, record.study)


def _within_study(path: str, study: str) -> str:
    """A recorded path without the study's own folder, so that two studies can be laid side by side."""
    return path.removeprefix(f"results/{study}/")


def _artifacts(name: str, first: tuple[Path, Record], second: tuple[Path, Record]) -> ArtifactDiff:
    (file, record), (other_file, other) = first, second
    equal = record.output.content == other.output.content
    return ArtifactDiff(
        name,
        equal,
        tuple(_causes(record, other)),
        tuple(_changes("input", _inputs(record), _inputs(other), _digest)),
        tuple(_surroundings(record, other)),
        () if equal else tuple(_contents(file, other_file)),
    )


def _causes(first: Record, second: Record) -> Iterator[str]:
    yield from _changes("stage", {"": first.stage}, {"": second.stage})
    yield from _changes("params", _params(first), _params(second))
    yield from _changes("code", {"": first.code}, {"": second.code}, _digest)
    yield from _changes("model", flat(first.model or {}), flat(second.model or {}))


def _surroundings(first: Record, second: Record) -> Iterator[str]:
    yield from _changes("environment", flat(first.environment), flat(second.environment))
    yield from _changes("git", flat(first.git), flat(second.git))


def _shared_surroundings(artifacts: tuple[ArtifactDiff, ...]) -> Iterator[str]:
    """Differences of the surroundings once each, with the count of artifacts that have them."""
    every = [line for each in artifacts for line in each.surroundings]
    for line in dict.fromkeys(every):
        yield f"{line}  ({every.count(line)} artifacts)"


def _params(record: Record) -> Mapping[str, Any]:
    params = parsed_params(record.params)
    return flat(params) if isinstance(params, Mapping) else {"": params}


def _inputs(record: Record) -> Mapping[str, str]:
    return {_within_study(path, record.study): digest for path, digest in record.inputs.items()}


def _digest(value: Any) -> str:
    return str(value)[:SHORT]


def _changes(
    kind: str, first: Mapping[str, Any], second: Mapping[str, Any], spell: Any = shortened
) -> Iterator[str]:
    for key in sorted(first.keys() | second.keys()):
        values = [spell(side[key]) if key in side else _ABSENT for side in (first, second)]
        if first.get(key, _ABSENT) != second.get(key, _ABSENT):
            yield f"{kind}: {f'{key} ' if key else ''}{values[0]} -> {values[1]}"


def _contents(first: Path, second: Path) -> Iterator[str]:
    for file in (first, second):
        if not file.is_file():
            yield f"content: {file} is not there"
            return
    if first.suffix == second.suffix == ".parquet":
        yield from compare_tables(first, second)
    else:
        yield f"content: {_digest(content_digest(first))} -> {_digest(content_digest(second))}"
