"""One controller per project folder: the process that decides which jobs run there."""

from __future__ import annotations

from pathlib import Path

from routeaudit.errors import InputError
from routeaudit.execution.lock import JournalLock, LockHeldError

# Beside the journals: working material, which `verify` leaves alone.
LOCK = Path("results/journal/controller.lock")
# A parsing process may try the lock for a moment.
_PATIENCE_S = 2.0


def become_controller(lock: Path = LOCK) -> JournalLock:
    """Take the folder's controller lock; whoever holds it keeps it until the process ends.

    Raises
    ------
    InputError : another controller lives; the message says which
    """
    try:
        return JournalLock.acquire(lock, _PATIENCE_S)
    except LockHeldError as error:
        raise InputError(
            str(Path.cwd()),
            "one run of the workflow at a time in this folder",
            f"another one lives: {error.found.removeprefix('held by ')}",
            "wait for it, or end it; several studies go into one run (--config studies=a,b). On another host"
            " a killed run counts as alive for two minutes. Do not use --unlock",
        ) from None


def drop_dead_locks(workflow_locks: Path, lock: Path = LOCK) -> str | None:
    """Remove the workflow engine's own lock files when no controller lives: a killed one left them.

    Returns who holds the controller lock, where somebody does; the files then stay.
    """
    left = list(workflow_locks.glob("*.lock"))
    try:
        if left:
            JournalLock.acquire(lock).release()
    except InputError as error:
        return error.found.removeprefix("held by ")
    for path in left:
        path.unlink(missing_ok=True)
    return None
