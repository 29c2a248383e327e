"""The record of an artifact: what it is, from what it was made, by which code, when and where.

A record is written after its artifact, so a record always describes complete bytes. Its `key` leaves out
times, hosts and paths: two runs from scratch give equal keys.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from routeaudit.tables import canonical_json, content_digest, file_digest, read_json, write_json

RECORD_SCHEMA = "routeaudit.record/1"
RECORD_SUFFIX = ".prov.json"
_PACKAGES = ("numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "snakemake", "hydra-core")


@dataclass(frozen=True)
class Origin:
    """What all artifacts of one stage run share.

    Parameters
    ----------
    inputs : project-relative path -> content digest, as read when the stage began
    params : the stage's part of the configuration as canonical JSON
    code : digest of the code that ran, or the stage version of a model stage
    contract : digest of the sealed contract, where one was in force
    sections : contract section -> digest, for the sections this stage depends on
    """

    stage: str
    study: str
    inputs: Mapping[str, str]
    params: str
    code: str
    contract: str | None
    sections: Mapping[str, str]
    command: tuple[str, ...]
    start: str
    model: Mapping[str, Any] | None = field(default=None)


def record_path(artifact: Path) -> Path:
    """Where the record of `artifact` lies."""
    return artifact.with_name(artifact.name + RECORD_SUFFIX)


def record_key(stage: str, params: str, inputs: Mapping[str, str], code: str) -> str:
    """Identity of a stage run, free of times, hosts and paths."""
    text = canonical_json({"stage": stage, "params": params, "inputs": sorted(inputs.values()), "code": code})
    return hashlib.sha256(text.encode()).hexdigest()


def write_record(artifact: Path, origin: Origin, root: Path) -> None:
    """Write the record of a finished `artifact`; paths in it are relative to `root`."""
    write_json(
        record_path(artifact),
        {
            "schema": RECORD_SCHEMA,
            "stage": origin.stage,
            "study": origin.study,
            "output": {
                "path": relative(artifact, root),
                "sha256": file_digest(artifact),
                "content": content_digest(artifact),
                "bytes": artifact.stat().st_size,
            },
            "inputs": dict(origin.inputs),
            "params": origin.params,
            "code": origin.code,
            "contract": origin.contract,
            "contract_sections": dict(origin.sections),
            "model": origin.model,
            "environment": environment(root),
            "git": git_state(root),
            "command": list(origin.command),
            "run": {"start": origin.start, "end": now()} | _place(),
            "key": record_key(origin.stage, origin.params, origin.inputs, origin.code),
        },
    )


def read_record(artifact: Path) -> dict[str, Any]:
    """Read the record of `artifact`."""
    record: dict[str, Any] = read_json(record_path(artifact))
    return record


def relative(path: Path, root: Path) -> str:
    """`path` as written in records: relative to the project root, with forward slashes."""
    return Path(os.path.relpath(path, root)).as_posix()


def now() -> str:
    """The current time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@lru_cache(maxsize=8)
def environment(root: Path) -> dict[str, Any]:
    """Python, the lock file's digest and the versions that results depend on."""
    lock = root / "envs" / "lock.txt"
    return {
        "python": platform.python_version(),
        "lock": file_digest(lock) if lock.exists() else None,
        "packages": {name: version(name) for name in _PACKAGES},
    }


@lru_cache(maxsize=8)
def git_state(root: Path) -> dict[str, Any]:
    """The commit the project stands at and whether the tracked files differ from it."""
    commit = _git(root, "rev-parse", "HEAD")
    return {"commit": commit, "dirty": bool(_git(root, "status", "--porcelain", "-uno")) if commit else None}


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _place() -> dict[str, Any]:
    return {"host": platform.node(), "pid": os.getpid(), "slurm_job": os.environ.get("SLURM_JOB_ID")}
