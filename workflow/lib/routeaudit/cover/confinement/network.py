"""No network: an empty network namespace, and a filter that refuses new sockets of any kind.

The namespace takes away every interface and all abstract sockets. The seccomp filter also stops UNIX
sockets bound to a path, which neither a namespace nor Landlock covers, and works where a container
forbids namespaces.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from dataclasses import dataclass

from routeaudit.cover.confinement.landlock import set_no_new_privileges

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LOAD_WORD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE = 0, 4
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
_IO_URING_SETUP = 425
_X32_BIT = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class _Architecture:
    audit_id: int
    socket: int


_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, 41),
    "aarch64": _Architecture(0xC00000B7, 198),
}


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("jump_true", ctypes.c_uint8),
        ("jump_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def enter_empty_network_namespace() -> bool:
    """Leave the machine's network for an empty one; False where the kernel does not let us.

    An unprivileged process needs a user namespace for it, which needs a single thread.
    """
    if os.geteuid() == 0 and _libc.unshare(_CLONE_NEWNET) == 0:
        return True
    return bool(_libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0)


def refuse_sockets() -> bool:
    """Refuse `socket` and `io_uring_setup` from here on; False on an architecture without a filter here.

    Connected sockets and pipes handed down keep working: that is how a router reaches its broker.
    """
    architecture = _ARCHITECTURES.get(platform.machine())
    if architecture is None:
        return False
    code = _socket_filter(architecture)
    instructions = (_Instruction * len(code))(*(_Instruction(*line) for line in code))
    program = _Program(len(code), instructions)
    set_no_new_privileges()
    return bool(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _socket_filter(architecture: _Architecture) -> list[tuple[int, int, int, int]]:
    """A BPF program; jumps count the lines to skip, the last two lines are refuse and allow."""
    return [
        (_LOAD_WORD, 0, 0, _OFFSET_ARCHITECTURE),
        (_JUMP_EQUAL, 0, 4, architecture.audit_id),
        (_LOAD_WORD, 0, 0, _OFFSET_NUMBER),
        (_JUMP_GREATER_EQUAL, 2, 0, _X32_BIT),
        (_JUMP_EQUAL, 1, 0, architecture.socket),
        (_JUMP_EQUAL, 0, 1, _IO_URING_SETUP),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
