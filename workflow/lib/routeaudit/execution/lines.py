"""The lines of a journal: JSON objects that carry their own digest.

A ``session`` line says who answers and where; a ``completion`` line holds one finished request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from routeaudit.errors import InputError
from routeaudit.tables import canonical_json, text_digest

_DIGEST = "line_sha256"


@dataclass(frozen=True, slots=True)
class Scan:
    """What a journal file holds.

    Parameters
    ----------
    lines : the sound lines' contents, in file order
    sound_bytes : length of the sound part, where the next line belongs
    torn : lines dropped from the end, because a writer was killed in the middle of them
    """

    lines: tuple[dict[str, Any], ...]
    sound_bytes: int
    torn: int


def encode_line(content: dict[str, Any]) -> bytes:
    """One journal line with its digest and newline."""
    return (canonical_json({**content, _DIGEST: _digest(content)}) + "\n").encode()


def decode_line(raw: bytes) -> dict[str, Any] | None:
    """The content of a line, or None where it is torn or altered."""
    try:
        content = json.loads(raw)
        digest = content.pop(_DIGEST)
    except (ValueError, AttributeError, TypeError, KeyError):
        return None
    return content if digest == _digest(content) else None


def scan_journal(path: Path) -> Scan:
    """Read a journal file; unsound lines at its end are dropped and counted.

    Raises
    ------
    InputError : an unsound line with sound ones behind it, which no killed writer leaves
    """
    lines, sound_bytes, torn = [], 0, 0
    for number, (end, raw) in enumerate(_raw_lines(path), start=1):
        content = decode_line(raw) if raw.endswith(b"\n") else None
        if content is None:
            torn += 1
        elif torn:
            raise _altered(path, number - torn)
        else:
            lines.append(content)
            sound_bytes = end
    return Scan(tuple(lines), sound_bytes, torn)


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    end = 0
    with path.open("rb") as handle:
        for raw in handle:
            end += len(raw)
            yield end, raw


def _altered(path: Path, number: int) -> InputError:
    return InputError(
        f"{path}:{number}",
        "a line whose digest matches its content",
        "an altered line with sound ones behind it",
        "delete that line; its request will be sent again",
    )


def _digest(content: dict[str, Any]) -> str:
    return text_digest(canonical_json(content))
