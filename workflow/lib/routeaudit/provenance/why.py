"""The readable chain from an artifact back to its sources."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from routeaudit.provenance.folder import Folder, Record, load_record
from routeaudit.provenance.lineage import dependency_order
from routeaudit.provenance.links import SHORT
from routeaudit.provenance.params import flat, parsed_params, shortened, spelled
from routeaudit.tables import content_digest


def why(folder: Folder, path: str) -> Iterator[str]:
    """The chain from `path` back to its sources as lines of an indented tree.

    A path met a second time is named, not told again.

    Raises
    ------
    InputError : `path` has no record, or an artifact on the way has an unreadable one.
    """
    load_record(folder.file(path))
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
    if record is None:
        return {"content": _content(expected or "", file)}
    facts = {
        "made": _made(record),
        "content": _content(record.output.content, file),
        "params": _parameters(record.params),
        "code": record.code[:SHORT] if len(record.code) == 64 else record.code,
        "contract": _contract(record),
        "model": ", ".join(f"{key} {spelled(value)}" for key, value in flat(record.model or {}).items()),
    }
    return {name: value for name, value in facts.items() if value}


def _content(recorded: str, file: Path) -> str:
    try:
        found = content_digest(file)
    except FileNotFoundError:
        return f"{recorded[:SHORT]}, but the file is gone"
    except (OSError, pa.ArrowException):
        return f"{recorded[:SHORT]}, but the file cannot be read"
    changed = "" if found == recorded else f", but the file now has {found[:SHORT]}"
    return recorded[:SHORT] + changed


def _made(record: Record) -> str:
    start, end = str(record.run.get("start")), str(record.run.get("end"))
    commit = str(record.git.get("commit") or "no commit")[:SHORT]
    dirty = " with uncommitted changes" if record.git.get("dirty") else ""
    return f"{_moment(end)} in {_seconds(start, end)} on {record.run.get('host')}, {commit}{dirty}"


def _moment(time: str) -> str:
    return time.replace("T", " ").replace("+00:00", " UTC")


def _seconds(start: str, end: str) -> str:
    try:
        passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except ValueError:
        return "unknown time"
    return f"{passed.total_seconds():.0f} s"


def _parameters(text: str) -> str:
    return ", ".join(f"{key}={shortened(value)}" for key, value in flat(parsed_params(text)).items())


def _contract(record: Record) -> str:
    if record.contract is None:
        return ""
    held = ", ".join(sorted(record.contract_sections)) or "no section of its own"
    return f"{record.contract[:SHORT]} ({held})"
