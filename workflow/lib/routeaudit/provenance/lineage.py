"""What an artifact was made from, and what was made from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from routeaudit.errors import InputError
from routeaudit.provenance.folder import Folder, Record


@dataclass(frozen=True)
class Lineage:
    """All artifacts before and after one, in dependency order; sources come first."""

    path: str
    ancestors: tuple[str, ...]
    descendants: tuple[str, ...]


def inputs_of(folder: Folder, path: str) -> tuple[str, ...]:
    """The recorded inputs of an artifact, sorted; a source and an unreadable record have none."""
    record = folder.records.get(path)
    return tuple(sorted(record.inputs)) if isinstance(record, Record) else ()


def dependency_order(folder: Folder) -> tuple[str, ...]:
    """Every artifact and source of the folder, each after all of its inputs; always the same order.

    Raises
    ------
    InputError : records that name each other in a circle.
    """
    paths = sorted(folder.files | folder.records.keys())
    try:
        return tuple(TopologicalSorter({path: inputs_of(folder, path) for path in paths}).static_order())
    except CycleError as error:
        raise InputError(
            " <- ".join(error.args[1]),
            "artifacts made from earlier ones",
            "records that name each other in a circle",
            "do not trust these records; rerun the stages",
        ) from None


def lineage(folder: Folder, path: str) -> Lineage:
    """All ancestors and descendants of `path`.

    Raises
    ------
    InputError : no artifact of the folder has that path and none was made from it.
    """
    parents = {p: inputs_of(folder, p) for p in folder.records}
    children: dict[str, list[str]] = {}
    for child, sources in parents.items():
        for source in sources:
            children.setdefault(source, []).append(child)
    if path not in parents and path not in children:
        raise InputError(
            path,
            "an artifact with a record, or a file that one was made from",
            "neither",
            f"name a file under {folder.place}",
        )
    order = dependency_order(folder)
    before, after = _reachable(path, parents), _reachable(path, children)
    return Lineage(path, tuple(p for p in order if p in before), tuple(p for p in order if p in after))


def _reachable(start: str, steps: Mapping[str, Iterable[str]]) -> set[str]:
    found: set[str] = set()
    queue = list(steps.get(start, ()))
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue.extend(steps.get(path, ()))
    return found
