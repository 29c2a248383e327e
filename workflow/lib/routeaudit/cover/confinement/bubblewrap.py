"""Bubblewrap, the fallback where the kernel has no Landlock: only the declared files are mounted."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path


@cache
def bubblewrap_available() -> bool:
    """Whether `bwrap` is installed and may make namespaces here."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    trial = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def bubblewrap_command(argv: Sequence[str], reads: Sequence[Path], writes: Sequence[Path]) -> list[str]:
    """`argv` run where only `reads` (read-only) and `writes` exist, without network."""
    command = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--dev",
        "/dev",
    ]
    for path in reads:
        if not path.is_relative_to("/dev"):
            command += ["--ro-bind", str(path), str(path)]
    for path in writes:
        command += ["--bind", str(path), str(path)]
    return [*command, *argv]
