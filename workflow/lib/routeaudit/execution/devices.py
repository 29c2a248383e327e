"""The CUDA devices that a worker sees must be those that it asked for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from routeaudit.errors import InputError


def visible_devices(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Ids of the CUDA devices that this process may use, as CUDA counts them.

    `CUDA_VISIBLE_DEVICES` decides where it is set (an empty one hides all); else the driver's list counts.
    As in CUDA, an entry of -1 hides itself and all behind it.
    """
    environment = os.environ if environment is None else environment
    declared = environment.get("CUDA_VISIBLE_DEVICES")
    if declared is None:
        return _driver_devices()
    shown: list[str] = []
    for device in filter(None, map(str.strip, declared.split(","))):
        if device == "-1":
            break
        shown.append(device)
    return tuple(shown)


def assert_devices(requested: int, environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The visible devices, of which there must be `requested`.

    Raises
    ------
    InputError : more or fewer are visible: the scheduler gave this worker something else
    """
    seen = visible_devices(environment)
    if len(seen) != requested:
        raise InputError(
            "CUDA devices",
            f"{requested} visible",
            f"{len(seen)} visible ({', '.join(seen) or 'none'})",
            "ask the scheduler for as many GPUs as model.tensor_parallel, and check CUDA_VISIBLE_DEVICES",
        )
    return seen


def _driver_devices() -> tuple[str, ...]:
    command = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(filter(None, map(str.strip, listed.stdout.splitlines())))
