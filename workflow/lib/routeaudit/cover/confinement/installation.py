"""Where Python and its libraries live: what even a confined process must be able to read."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import routeaudit

_SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/lib", "/lib64", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def python_installation() -> tuple[Path, ...]:
    """Readable paths of the interpreter, its packages, this library, the loader and harmless devices."""
    paths = sysconfig.get_paths()
    library = Path(routeaudit.__file__).resolve().parent
    named = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    interpreter = [Path(sys.executable), Path(sys.executable).resolve(), Path(sys.prefix) / "pyvenv.cfg"]
    shared = Path(sys.base_prefix) / "lib"
    found = [library, *map(Path, named), *interpreter, shared, *map(Path, _SYSTEM), *map(Path, _DEVICES)]
    return tuple(dict.fromkeys(path for path in found if os.access(path, os.R_OK)))
