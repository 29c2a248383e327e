"""The ledger of a study: seals, freezes, first held-out outcomes and looks, hash-chained and append-only.

It lives in ``seals/`` beside the code, not in ``results/``: deleting results is not a new beginning.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from routeaudit.errors import InputError
from routeaudit.provenance.records import now
from routeaudit.tables import canonical_json, text_digest

SEALED, FROZEN, FIRST_OUTCOME, LOOK = "sealed", "frozen", "first_outcome", "look"
_START = "0" * 64


@dataclass(frozen=True)
class Event:
    """One line of a ledger; `digest` covers everything else in the line, the previous digest included.

    `facts` identify the event; `witnessed` is what was seen when it was first written.
    """

    seq: int
    time: str
    event: str
    facts: Mapping[str, Any]
    witnessed: Mapping[str, Any]
    previous: str
    digest: str


def ledger_path(seals: Path, study: str) -> Path:
    """The ledger file of a study."""
    return seals / f"{study}.jsonl"


def read_ledger(path: Path) -> tuple[Event, ...]:
    """All events, oldest first; an absent file is an empty ledger.

    Raises
    ------
    InputError : a line that does not parse or breaks the chain; the message names the line.
    """
    if not path.exists():
        return ()
    events: list[Event] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        events.append(_checked(line, number, events[-1].digest if events else _START, path))
    return tuple(events)


def append_event(
    path: Path, event: str, facts: Mapping[str, Any], witnessed: Mapping[str, Any] | None = None
) -> Event:
    """Append an event unless an equal one (same kind and facts) stands already; return that event.

    Repeating a run therefore leaves the ledger as it was. The file is locked while it is extended.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        events = read_ledger(path)
        for known in events:
            if known.event == event and known.facts == dict(facts):
                return known
        made = _next_event(events, event, {"facts": dict(facts), "witnessed": dict(witnessed or {})})
        handle.write(canonical_json(vars(made)) + "\n")
        handle.flush()
        os.fsync(handle.fileno())
        return made


def _next_event(events: tuple[Event, ...], event: str, told: Mapping[str, Any]) -> Event:
    body: dict[str, Any] = {
        "seq": len(events),
        "time": now(),
        "event": event,
        **told,
        "previous": events[-1].digest if events else _START,
    }
    return Event(**body, digest=text_digest(canonical_json(body)))


def _checked(line: str, number: int, previous: str, path: Path) -> Event:
    where = f"{path}:{number}"
    try:
        body = json.loads(line)
        event = Event(**body)
    except (json.JSONDecodeError, TypeError) as error:
        raise InputError(
            where, "one ledger event as JSON", str(error), "restore the ledger from git"
        ) from None
    unsigned = {key: value for key, value in body.items() if key != "digest"}
    if event.previous != previous or event.digest != text_digest(canonical_json(unsigned)):
        raise InputError(
            where,
            f"an event that continues the chain from {previous[:12]}",
            f"previous {event.previous[:12]}, digest {event.digest[:12]}",
            "the ledger was edited; restore it from git",
        )
    return event


def committed(path: Path, event: Event) -> bool:
    """Whether git's latest commit holds this event of the ledger at `path`."""
    shown = subprocess.run(
        ["git", "show", f"HEAD:./{path.name}"], cwd=path.parent, capture_output=True, text=True, check=False
    )
    return shown.returncode == 0 and event.digest in shown.stdout
