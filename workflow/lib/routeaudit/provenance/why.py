"""The readable chain from an artifact back to its sources."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from routeaudit.provenance.folder import Folder, Record
from routeaudit.provenance.lineage import dependency_order
from routeaudit.provenance.links import SHORT
from routeaudit.provenance.params import flat, parsed_params, spelled
from routeaudit.tables import content_digest


def why(folder: Folder, path: str) -> Iterator[str]:
    """The chain from `path` back to its sources as lines of an indented tree.

    A path met a second time is named, not told again.

    Raises
    ------
    InputError : `path` or an artifact on the way has an unreadable record.
    """
    dependency_order(folder)
    yield from _told(folder, path, "", "", None, set())


def _told(
    folder: Folder, path: str, head: str, rest: str, expected: str | None, seen: set[str]
) -> Iterator[str]:
    record = folder.record(path)
    title = f"{head}{path}  [{record.stage if record else 'source'}]"
    if path in seen:
        yield f"{title}  (told above)"
        return
    seen.add(path)
    yield title
    sources = sorted(record.inputs) if record else []
    bar = f"{rest}{'│' if sources else ' '}    "
    for name, value in _facts(folder, path, record, expected).items():
        yield f"{bar}{name:<9} {value}"
    for place, source in enumerate(sources, 1):
        last = place == len(sources)
        digest = record.inputs[source] if record else None
        branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _told(folder, source, rest + branch, rest + below, digest, seen)


def _facts(folder: Folder, path: str, record: Record | None, expected: str | None) -> dict[str, str]:
    file = folder.file(path)
    found = content_digest(file) if file.is_file() else None
    if record is None:
        return {"content": _content(expected or "", found)}
    facts = {
        "made": _made(record),
        "content": _content(record.output.content, found),
        "params": _parameters(record.params),
        "code": record.code[:SHORT] if len(record.code) == 64 else record.code,
        "contract": _contract(record),
        "model": ", ".join(f"{key} {value}" for key, value in flat(record.model or {}).items()),
    }
    return {name: value for name, value in facts.items() if value}


def _content(recorded: str, found: str | None) -> str:
    if found is None:
        return f"{recorded[:SHORT]}, but the file is gone"
    if found != recorded:
        return f"{recorded[:SHORT]}, but the file now has {found[:SHORT]}"
    return recorded[:SHORT]


def _made(record: Record) -> str:
    start, end = str(record.run.get("start")), str(record.run.get("end"))
    commit = str(record.git.get("commit") or "no commit")[:SHORT]
    dirty = " with uncommitted changes" if record.git.get("dirty") else ""
    return f"{end} in {_seconds(start, end)} on {record.run.get('host')}, {commit}{dirty}"


def _seconds(start: str, end: str) -> str:
    try:
        passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except ValueError:
        return "unknown time"
    return f"{passed.total_seconds():.0f} s"


def _parameters(text: str) -> str:
    return ", ".join(f"{key}={spelled(value)}" for key, value in flat(parsed_params(text)).items())


def _contract(record: Record) -> str:
    if record.contract is None:
        return ""
    held = ", ".join(sorted(record.contract_sections)) or "no section of its own"
    return f"{record.contract[:SHORT]} ({held})"
