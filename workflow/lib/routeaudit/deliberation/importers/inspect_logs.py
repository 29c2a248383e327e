"""Inspect ``.eval`` logs: one log per agent, one block per sample and epoch.

A log is a zip archive from somebody else. It is read in memory: nothing is unpacked to disk, odd entry
names are refused, and sizes are bounded before anything is decompressed.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from routeaudit.deliberation.equivalence.normalise import short_form
from routeaudit.deliberation.importers.base import (
    NO_OUTCOMES,
    NO_SELECTION,
    NO_SPEAKS,
    Imported,
    Listed,
    Row,
    block_row,
    invalid_polls,
    poll_row,
    trace_of,
)
from routeaudit.deliberation.importers.reading import parsed
from routeaudit.errors import InputError

MAX_ENTRY_BYTES = 256 * 2**20
MAX_TOTAL_BYTES = 4 * 2**30
_PATTERN = r"(?i)confidence\s*[:=]\s*(-?\d+(?:\.\d+)?)"
_GRADES = {
    "C": True,
    "I": False,
    "1": True,
    "0": False,
    "1.0": True,
    "0.0": False,
    "True": True,
    "False": False,
}


@dataclass(frozen=True)
class InspectReading:
    """Where a sample states what we need.

    scorer : which scorer's value is correctness; None takes the only one
    confidence_key : key in the score's or the sample's metadata; else `pattern` on the completion
    tier_key : key of the tier in the sample's metadata
    """

    scale: float
    scorer: str | None = None
    confidence_key: str = "confidence"
    pattern: str = _PATTERN
    tier_key: str = "tier"


def import_inspect(paths: Sequence[Path], reading: InspectReading) -> Imported:
    """The trace of Inspect logs of one task by several models, in the order of `paths`.

    Raises
    ------
    InputError : no log; a broken, oversized or oddly named archive; several scorers and none chosen
    """
    if not paths:
        raise InputError("Inspect logs", "at least one .eval file", "none", "name the files")
    blocks: dict[str, Row] = {}
    polls: list[Row] = []
    errors: list[Listed] = []
    for path in paths:
        with _opened(path) as archive:
            agent = _agent(path, archive, {row["agent"] for row in polls})
            for name, sample in _samples(path, archive):
                block = _block(sample, reading)
                block = blocks.setdefault(block["trace"], block)
                if sample.get("error"):
                    errors.append(Listed(f"{path}:{name}", "the sample ended in an error"))
                polls.append(_poll(block, agent, len(polls), sample, reading, f"{path}:{name}"))
    lacks = {"selections": NO_SELECTION, "speaks": NO_SPEAKS, "outcomes": NO_OUTCOMES}
    trace = trace_of(
        {"blocks": list(blocks.values()), "polls": polls}, reading.scale, lacks, benchmark="Inspect"
    )
    counts = {"logs": len(paths), "samples": len(polls), "blocks": len(blocks)}
    return Imported(trace, counts, invalid_polls(polls, reading.scale) + tuple(errors))


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(
            str(path), "an Inspect .eval log (a zip archive)", str(error), "check the path"
        ) from None
    entries = archive.infolist()
    odd = next((e.filename for e in entries if _odd(e.filename)), None)
    if odd is not None:
        archive.close()
        raise InputError(
            f"{path}, entry {odd!r}", "a plain relative name", "a path out of it", "do not trust this log"
        )
    if sum(e.file_size for e in entries) > MAX_TOTAL_BYTES or any(
        e.file_size > MAX_ENTRY_BYTES for e in entries
    ):
        archive.close()
        raise InputError(
            str(path),
            f"at most {MAX_TOTAL_BYTES >> 20} MiB, {MAX_ENTRY_BYTES >> 20} an entry",
            "more",
            "split the log",
        )
    return archive


def _odd(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return "\\" in name or "\0" in name or name.startswith("/") or ".." in parts or ":" in name.split("/")[0]


def _json(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    try:
        with archive.open(name) as entry:
            text = entry.read(MAX_ENTRY_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(
            f"{path}:{name}", "an entry that Python can read", str(error), "convert it: inspect log convert"
        ) from None
    return parsed(text.decode("utf-8", "replace"), f"{path}:{name}")


def _agent(path: Path, archive: zipfile.ZipFile, known: set[str]) -> str:
    """The model; with the file's name where two logs are of one model."""
    names = set(archive.namelist())
    head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if head is None:
        raise InputError(
            str(path), "header.json or _journal/start.json", "neither", "is this an Inspect log?"
        )
    model = (_json(path, archive, head).get("eval") or {}).get("model")
    if not model:
        raise InputError(f"{path}:{head}", "eval.model", "nothing", "is this an Inspect log?")
    return f"{model} ({path.stem})" if model in known else str(model)


def _samples(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in sorted(archive.namelist()):
        if name.startswith("samples/") and name.endswith(".json"):
            sample = _json(path, archive, name)
            if not isinstance(sample, dict) or "id" not in sample:
                raise InputError(
                    f"{path}:{name}", "a sample with an id", str(sample)[:60], "is this an Inspect log?"
                )
            yield name, sample


def _block(sample: Mapping[str, Any], reading: InspectReading) -> Row:
    uid = str(sample["id"])
    tier = (sample.get("metadata") or {}).get(reading.tier_key)
    return block_row(f"{uid}#{sample.get('epoch', 1)}", uid, tier=None if tier is None else str(tier))


def _poll(
    block: Row, agent: str, order: int, sample: Mapping[str, Any], reading: InspectReading, where: str
) -> Row:
    score = _score(sample, reading, where)
    answer = score.get("answer")
    text = None if answer in (None, "") else str(answer)
    stated = _confidence(sample, score, reading)
    return poll_row(
        block,
        agent,
        order,
        score_raw=stated,
        has_candidate=text is not None and score.get("value") != "N",
        answer=text,
        answer_norm=None if text is None else short_form(text) or text,
        correct=_GRADES.get(str(score.get("value"))),
        reason=score.get("explanation"),
    )


def _score(sample: Mapping[str, Any], reading: InspectReading, where: str) -> Mapping[str, Any]:
    scores = sample.get("scores") or {}
    if reading.scorer is None and len(scores) > 1:
        raise InputError(where, "one scorer, or a chosen one", ", ".join(sorted(scores)), "set scorer")
    found = scores.get(reading.scorer) if reading.scorer is not None else next(iter(scores.values()), None)
    return found if isinstance(found, dict) else {}


def _confidence(sample: Mapping[str, Any], score: Mapping[str, Any], reading: InspectReading) -> float | None:
    for metadata in (score.get("metadata"), sample.get("metadata")):
        value = (metadata or {}).get(reading.confidence_key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    output = sample.get("output") or {}
    text = output.get("completion") or ""
    if not text:
        choices = output.get("choices") or [{}]
        content = (choices[0].get("message") or {}).get("content")
        text = content if isinstance(content, str) else ""
    found = re.findall(reading.pattern, text)
    return float(found[-1]) if found else None
