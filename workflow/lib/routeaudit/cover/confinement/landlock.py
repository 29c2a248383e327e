"""Landlock through ctypes: an unprivileged process gives up all file access but the declared one.

Numbers are those of the kernel's ``uapi/linux/landlock.h``; rights newer than the running kernel's ABI
are left out, as that interface asks.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_BASE_RIGHTS = (1 << 13) - 1
_RIGHTS_BY_ABI = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TRUNCATE = 1 << 14
_TCP_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3

_libc = ctypes.CDLL(None, use_errno=True)


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def landlock_abi() -> int:
    """The running kernel's Landlock version; 0 where Landlock is absent or switched off."""
    try:
        return max(int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)), 0)
    except AttributeError:
        return 0


def restrict_files(reads: Iterable[Path], writes: Iterable[Path]) -> int:
    """Deny this process every file but `reads` (read, execute) and `writes` (folders, everything).

    TCP, abstract sockets and signals to outside go too where the kernel's ABI knows them. There is no
    way back, and children inherit it.

    Returns
    -------
    The ABI in force.

    Raises
    ------
    OSError : the kernel refused, or a declared path does not exist.
    """
    abi = landlock_abi()
    if abi < 1:
        raise OSError("this kernel has no Landlock")
    rights = _file_rights(abi)
    ruleset = _create_ruleset(abi, rights)
    try:
        for path in reads:
            _allow(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
        for path in writes:
            _allow(ruleset, path, rights & ~_EXECUTE)
        set_no_new_privileges()
        _check(_libc.syscall(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    finally:
        os.close(ruleset)
    return abi


def set_no_new_privileges() -> None:
    """Give up set-uid gains for good: the kernel's condition for self-made filters."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)")


def _file_rights(abi: int) -> int:
    newer = (right for since, right in _RIGHTS_BY_ABI.items() if abi >= since)
    return _BASE_RIGHTS | sum(newer)


def _create_ruleset(abi: int, rights: int) -> int:
    net = _TCP_BIND_AND_CONNECT if abi >= 4 else 0
    scoped = _ABSTRACT_SOCKETS_AND_SIGNALS if abi >= 6 else 0
    attr = _RulesetAttr(rights, net, scoped)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return _check(_libc.syscall(_CREATE_RULESET, ctypes.byref(attr), size, 0), "landlock_create_ruleset")


def _allow(ruleset: int, path: Path, rights: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        # The kernel refuses folder rights on a plain file.
        allowed = rights if path.is_dir() else rights & (_EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE)
        attr = _PathBeneathAttr(allowed, handle)
        result = _libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(attr), 0)
        _check(result, f"landlock_add_rule {path}")
    finally:
        os.close(handle)


def _check(result: int, call: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{call}: {os.strerror(code)}")
    return result
