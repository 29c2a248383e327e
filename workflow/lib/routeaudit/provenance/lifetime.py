"""A stage lives no longer than the process that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

CONTROLLER = "ROUTEAUDIT_CONTROLLER"
"""Environment variable: the id of the process whose jobs the stages are."""
_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have the kernel terminate this process when its parent dies (prctl(2); Linux only).

    A killed controller would otherwise leave workers behind that write beside those of the next run. One
    that died while this process was starting is not its parent any more: `CONTROLLER` tells that.
    """
    if not sys.platform.startswith("linux"):
        return
    parent = int(os.environ.get(CONTROLLER, os.getppid()))
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
