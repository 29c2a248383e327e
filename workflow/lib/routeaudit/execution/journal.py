"""The journal: every finished request, once, on disk before it is used.

A folder of append-only JSON-lines files, one per writer. Any file serves any reader: a request is found
by its key wherever it was finished, so changing the number of shards reuses every generation.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from routeaudit.errors import InputError
from routeaudit.execution.lines import encode_line, scan_journal
from routeaudit.execution.lock import Holder, JournalLock
from routeaudit.execution.requests import Completion, Identity
from routeaudit.tables import text_digest

_SYNC_S = 1.0


@dataclass(frozen=True, slots=True)
class Records:
    """What the journals of a folder hold.

    Parameters
    ----------
    completions : finished requests by key
    identities : who answered, by digest
    torn : lines lost at ends of files to killed writers
    repeated : lines whose key another line has too
    differing : of these, the ones with another text
    """

    completions: Mapping[str, Completion]
    identities: Mapping[str, Identity]
    torn: int
    repeated: int
    differing: int


def read_journals(folder: Path, wanted: Collection[str] | None = None) -> Records:
    """Read all journals below `folder`, keeping the `wanted` keys (None keeps all).

    Of two lines with one key that with the smaller text digest counts, whichever was written first.
    """
    completions: dict[str, Completion] = {}
    identities: dict[str, Identity] = {}
    torn = repeated = differing = 0
    for path in sorted(folder.glob("*.jsonl")):
        scan = scan_journal(path)
        torn += scan.torn
        for line in scan.lines:
            if line["kind"] == "session":
                identities[line["identity_sha256"]] = Identity.from_json(line["identity"])
            elif wanted is None or line["key"] in wanted:
                found = Completion.from_json(line["completion"])
                other = completions.setdefault(line["key"], found)
                repeated += other is not found
                differing += other.text != found.text
                completions[line["key"]] = min(other, found, key=_rank)
    return Records(completions, identities, torn, repeated, differing)


def _rank(completion: Completion) -> str:
    return text_digest(completion.text)


class Journal:
    """The writer's end of a journal folder. Open with `with Journal.open(folder, name) as journal`.

    Attributes
    ----------
    folder : the folder whose files are all read
    path : the one file that this process appends to
    torn : unsound lines dropped from the end of that file when it was opened
    """

    def __init__(self, folder: Path, path: Path, lock: JournalLock, descriptor: int, torn: int) -> None:
        self.folder = folder
        self.path = path
        self.torn = torn
        self._lock = lock
        self._descriptor = descriptor
        self._session: str | None = None
        self._sound_bytes = os.fstat(descriptor).st_size
        self._synced_at = time.monotonic()

    @classmethod
    def open(cls, folder: Path, name: str, wait_s: float = 0.0) -> Self:
        """Open `folder`/`name`.jsonl for appending, alone, and cut off a torn tail.

        Raises
        ------
        InputError : another living process writes it (after `wait_s` seconds), or it was altered
        """
        path = folder / f"{name}.jsonl"
        lock = JournalLock.acquire(folder / f"{name}.lock", wait_s)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            scan = scan_journal(path)
            os.ftruncate(descriptor, scan.sound_bytes)
        except OSError as error:
            lock.release()
            raise _unwritable(path, error) from error
        except InputError:
            lock.release()
            raise
        return cls(folder, path, lock, descriptor, scan.torn)

    def find(self, wanted: Collection[str]) -> Mapping[str, Completion]:
        """Finished requests among the `wanted` keys, from all files of the folder."""
        return read_journals(self.folder, wanted).completions

    def append(self, identity: Identity, key: str, completion: Completion) -> None:
        """Write one finished request. It survives this process at once, the machine after `sync`.

        Raises
        ------
        InputError : the disk is full, or the lock was lost; earlier lines are whole
        """
        session = b""
        if identity.digest != self._session:
            session = encode_line(_session_line(identity))
        line = {"kind": "completion", "key": key, "identity_sha256": identity.digest}
        self._write(session + encode_line({**line, "completion": asdict(completion)}))
        self._session = identity.digest
        if time.monotonic() - self._synced_at > _SYNC_S:
            self.sync()

    def sync(self) -> None:
        """Force what was appended onto the disk; done every second anyway while appending."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._synced_at = time.monotonic()

    def close(self) -> None:
        """Sync, close and unlock; safe to call twice."""
        if self._descriptor < 0:
            return
        try:
            self.sync()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1
            self._lock.release()

    def _write(self, data: bytes) -> None:
        self._lock.check()
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            os.ftruncate(self._descriptor, self._sound_bytes)
            raise _unwritable(self.path, error) from error
        self._sound_bytes += len(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        str(path),
        "room and permission to write",
        str(error),
        "free the disk and rerun; every finished request is kept",
    )


def _session_line(identity: Identity) -> dict[str, object]:
    me = Holder.me()
    return {
        "kind": "session",
        "identity_sha256": identity.digest,
        "identity": asdict(identity),
        "host": me.host,
        "pid": me.pid,
        "job": me.job,
        "devices": os.environ.get("CUDA_VISIBLE_DEVICES", ""),
        "started": time.time(),
    }
