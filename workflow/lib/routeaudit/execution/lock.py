"""Exclusive use of one journal file, across processes and hosts.

On one host the kernel's `flock` decides and lets go when the holder dies. File systems of a cluster may
not carry `flock` between hosts, so the holder also keeps touching the lock file: one that another host
has not touched for `STALE_S` is taken to be dead. A holder who was only paused finds a foreign token
before its next write and stops.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from routeaudit.errors import InputError

TOUCH_S = 15.0
STALE_S = 120.0
# A job that replaces one on a dead host waits this long: until the dead one's lock is stale.
PATIENCE_S = STALE_S + 30.0


class LockHeldError(InputError):
    """A living process holds the lock."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: host, process, scheduler job (empty outside a scheduler), and a unique token."""

    host: str
    pid: int
    job: str
    token: str

    @classmethod
    def me(cls) -> Holder:
        """This process."""
        return cls(socket.gethostname(), os.getpid(), os.environ.get("SLURM_JOB_ID", ""), uuid.uuid4().hex)

    def __str__(self) -> str:
        job = f", job {self.job}" if self.job else ""
        return f"process {self.pid} on host {self.host}{job}"


class JournalLock:
    """A held lock. Made by `acquire`; `release` gives it back.

    Attributes
    ----------
    took_over : the dead holder whose lock this one replaced, or None
    """

    def __init__(self, path: Path, descriptor: int, holder: Holder, took_over: Holder | None) -> None:
        self._path = path
        self._descriptor = descriptor
        self._holder = holder
        self.took_over = took_over
        self._stop = threading.Event()
        self._toucher = threading.Thread(target=self._keep_touching, daemon=True)
        self._toucher.start()

    @classmethod
    def acquire(cls, path: Path, wait_s: float = 0.0) -> JournalLock:
        """Take the lock, waiting up to `wait_s` seconds for a living holder to end.

        Raises
        ------
        LockHeldError : somebody else holds it and is alive; the message says who
        """
        deadline = time.monotonic() + wait_s
        while True:
            lock, holder = cls._try(path)
            if lock is not None:
                return lock
            if time.monotonic() >= deadline:
                raise LockHeldError(
                    str(path),
                    "no other writer of this journal",
                    f"held by {holder or 'an unknown process'}",
                    "wait for it to end or cancel it; what it finished is reused",
                )
            time.sleep(min(0.2, max(0.0, deadline - time.monotonic())))

    @classmethod
    def _try(cls, path: Path) -> tuple[JournalLock | None, Holder | None]:
        descriptor = _open(path)
        holder = _read_holder(path)
        if not _flock(descriptor) or _alive_elsewhere(path, holder):
            os.close(descriptor)
            return None, holder
        # Read again: the one seen before `flock` may have ended in between.
        former, me = _read_holder(path), Holder.me()
        _write_holder(path, descriptor, me)
        return cls(path, descriptor, me, former), None

    def check(self) -> None:
        """Make sure that nobody took this lock over, before anything is written under it."""
        holder = _read_holder(self._path)
        if holder is None or holder.token != self._holder.token:
            raise InputError(
                str(self._path),
                f"this lock still held by {self._holder}",
                f"held by {holder or 'nobody'}",
                "this process was taken for dead; its successor goes on, nothing finished is lost",
            )

    def release(self) -> None:
        """Give the lock back; safe to call twice."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._toucher.join()
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def _keep_touching(self) -> None:
        while not self._stop.wait(TOUCH_S):
            os.utime(self._descriptor)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(path, error) from error


def _flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _alive_elsewhere(path: Path, holder: Holder | None) -> bool:
    if holder is None or holder.host == socket.gethostname():
        return False
    return time.time() - path.stat().st_mtime < STALE_S


def _read_holder(path: Path) -> Holder | None:
    try:
        return Holder(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write_holder(path: Path, descriptor: int, holder: Holder) -> None:
    data = json.dumps(asdict(holder)).encode()
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, data, 0)
        os.fsync(descriptor)
    except OSError as error:
        os.close(descriptor)
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(str(path), "room and permission to write", str(error), "free the disk and rerun")
