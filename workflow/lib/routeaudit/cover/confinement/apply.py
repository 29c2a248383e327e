"""Confine the running process and say which mechanism is in force."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from routeaudit.cover.confinement.landlock import landlock_abi, restrict_files
from routeaudit.cover.confinement.network import enter_empty_network_namespace, refuse_sockets

MECHANISMS = ("landlock", "bubblewrap", "none")


@dataclass(frozen=True)
class InForce:
    """What holds a process back.

    Parameters
    ----------
    mechanism : ``landlock``, ``bubblewrap`` or ``none``
    layers : the kernel features at work, such as ``landlock-7``, ``network-namespace``, ``seccomp-sockets``
    opened : probed files that could be opened after all; anything here makes the mechanism ``none``
    network : whether a socket could be made and connected; True makes the mechanism ``none``
    """

    mechanism: str
    layers: tuple[str, ...]
    opened: tuple[str, ...]
    network: bool


def confine(mechanism: str, reads: Sequence[Path], writes: Sequence[Path], probes: Sequence[Path]) -> InForce:
    """Confine this process for good, then try what must now fail.

    Parameters
    ----------
    mechanism : ``landlock`` applies it here; ``bubblewrap`` says that we already run inside it; ``none``
        leaves the process free
    reads, writes : the files and folders that stay open
    probes : files that must not open, for example the private tables

    Returns
    -------
    What is in force, as found by trying; a hole in it turns the mechanism into ``none``.
    """
    layers: list[str] = []
    if mechanism == "bubblewrap":
        layers = ["bubblewrap", *_without_sockets()]
    if mechanism == "landlock" and landlock_abi():
        layers = _confine_by_landlock(reads, writes)
    opened = tuple(path.name for path in probes if _opens(path))
    network = _reaches_network()
    sound = bool(layers) and not opened and not network
    return InForce(mechanism if sound else "none", tuple(layers), opened, network)


def _confine_by_landlock(reads: Sequence[Path], writes: Sequence[Path]) -> list[str]:
    # Namespaces first: afterwards the process may no longer write its user mapping, nor make sockets.
    namespace = enter_empty_network_namespace()
    layers = [f"landlock-{restrict_files(reads, writes)}"]
    return [*layers, *(["network-namespace"] if namespace else []), *_without_sockets()]


def _without_sockets() -> list[str]:
    return ["seccomp-sockets"] if refuse_sockets() else []


def _opens(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True


def _reaches_network() -> bool:
    """Whether a datagram socket finds a route anywhere; nothing is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("127.0.0.1", 9))
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EPERM, errno.ENETUNREACH, errno.EAFNOSUPPORT)
    return True
