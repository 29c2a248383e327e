"""The links of a chain of artifacts that can break, and how a broken one is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from routeaudit.errors import InputError

SHORT = 12


class Fault(StrEnum):
    """What is wrong with a link."""

    CORRUPT = "CORRUPT"
    STALE = "STALE"
    MISSING = "MISSING"
    UNRECORDED = "UNRECORDED"
    INCONSISTENT = "INCONSISTENT RECORD"
    OTHER_CONTRACT = "OTHER CONTRACT"
    LEDGER = "LEDGER"
    NOT_FROZEN = "NOT FROZEN"


@dataclass(frozen=True)
class Broken:
    """One broken link: where it is, what should be there, what is, and one thing to do."""

    fault: Fault
    where: str
    expected: str
    found: str
    hint: str

    def __str__(self) -> str:
        return (
            f"{self.fault.value}: {self.where}\n  expected: {self.expected}\n"
            f"  found:    {self.found}\n  hint:     {self.hint}"
        )


def from_error(fault: Fault, error: InputError) -> Broken:
    """A link that could not even be read."""
    return Broken(fault, error.where, error.expected, error.found, error.hint)


def corrupt(path: str, recorded: str, found: str) -> Broken:
    """A file that differs from the one its record describes."""
    return Broken(
        Fault.CORRUPT,
        path,
        f"the recorded file, {recorded}",
        found,
        f"remove it and rerun the workflow: rm {path}",
    )


def stale(path: str, source: str, recorded: str, found: str) -> Broken:
    """An artifact one of whose inputs is another one now."""
    return Broken(
        Fault.STALE,
        path,
        f"made from the present {source}, content {found[:SHORT]}",
        f"made from one with content {recorded[:SHORT]}",
        f"remake it: snakemake --force {path}",
    )


def missing(path: str, role: str) -> Broken:
    """A file that a record speaks of and that is not there."""
    return Broken(Fault.MISSING, path, role, "no such file", f"remake it: snakemake --force {path}")


def unrecorded(path: str) -> Broken:
    """A file among the artifacts that no stage vouches for."""
    return Broken(
        Fault.UNRECORDED,
        path,
        "a record beside the artifact",
        "none",
        "remove the file, or rerun the stage that makes it",
    )


def inconsistent(path: str, expected: str, found: str) -> Broken:
    """A record that contradicts itself or lies beside a file it does not describe."""
    return Broken(
        Fault.INCONSISTENT,
        f"record of {path}",
        expected,
        found,
        f"do not trust the record; remake the artifact: snakemake --force {path}",
    )
