"""Confine a process to its declared inputs, by the kernel.

What a router may read is a claim about a process, so the kernel enforces it: Landlock for files, a
network namespace and a system call filter for sockets, bubblewrap where Landlock is absent. A Python
audit hook notes what was tried; it enforces nothing, because native readers open files without an event.
"""

from routeaudit.cover.confinement.apply import InForce, confine
from routeaudit.cover.confinement.bubblewrap import bubblewrap_available, bubblewrap_command
from routeaudit.cover.confinement.installation import python_installation
from routeaudit.cover.confinement.landlock import landlock_abi

__all__ = [
    "InForce",
    "bubblewrap_available",
    "bubblewrap_command",
    "confine",
    "landlock_abi",
    "python_installation",
]
