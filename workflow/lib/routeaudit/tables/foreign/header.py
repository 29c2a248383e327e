"""Which column of a foreign table is which of ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from routeaudit.errors import InputError

_SHOWN = 200


@dataclass(frozen=True)
class Wanted:
    """Columns that a reader asks for.

    Parameters
    ----------
    names : our name -> the file's name, in the order in which columns are given back; those in ``needed``
        must be there. No names: every column under its own name.
    rename : the one edit that mends a missing column, with {theirs} and {ours}
    """

    names: dict[str, str]
    needed: frozenset[str]
    rename: str = "rename the column {theirs} to {ours}"

    @classmethod
    def of(cls, needed: Sequence[str] = (), optional: Sequence[str] = ()) -> Wanted:
        """Columns under our own names."""
        return cls({name: name for name in (*needed, *optional)}, frozenset(needed))


def plain(name: str) -> str:
    """A column name without what is forgiven: case, spaces around it, spaces and hyphens for underscores."""
    return re.sub(r"[\s-]+", "_", name.strip().strip("\ufeff")).lower()


def choose(header: Sequence[str], wanted: Wanted, where: str) -> dict[str, int]:
    """Our name -> index of the file's column.

    Raises
    ------
    InputError : a column twice, or a needed one absent
    """
    if not wanted.names:
        named = {name.strip(): name.strip() for name in header if name.strip()}
        wanted = Wanted(named, frozenset())
    places: dict[str, list[int]] = {}
    for index, name in enumerate(header):
        places.setdefault(plain(name), []).append(index)
    found = {ours: places[plain(theirs)] for ours, theirs in wanted.names.items() if plain(theirs) in places}
    for ours, indices in found.items():
        if len(indices) > 1:
            _twice(header, ours, indices, where)
    if missing := [ours for ours in wanted.names if ours in wanted.needed and ours not in found]:
        _missing(header, wanted, missing, places, where)
    return {ours: indices[0] for ours, indices in found.items()}


def _twice(header: Sequence[str], ours: str, indices: Sequence[int], where: str) -> None:
    spelled = " and ".join(f"{header[i]!r} (column {i + 1})" for i in indices)
    raise InputError(where, f"one column {ours}", spelled, f"delete or rename one of the {len(indices)}")


def _missing(
    header: Sequence[str], wanted: Wanted, missing: Sequence[str], places: dict[str, list[int]], where: str
) -> None:
    lost = [wanted.names[ours] for ours in missing]
    free = [name for name in places if name and name not in map(plain, wanted.names.values())]
    edits = []
    for ours, theirs in zip(missing, lost, strict=True):
        close = get_close_matches(plain(theirs), free, 1) or _parts(plain(theirs), free)
        if close:
            free.remove(close[0])
            name = header[places[close[0]][0]].strip()
            edits.append(wanted.rename.format(theirs=name, ours=ours))
    shown = ", ".join(name.strip() for name in header)[:_SHOWN]
    raise InputError(
        where,
        f"the columns {', '.join(theirs for ours, theirs in wanted.names.items() if ours in wanted.needed)}",
        f"no column {', '.join(lost)}; the first line says: {shown}",
        "; ".join(edits) or f"write a header line with the column {lost[0]} above the rows",
    )


def _parts(name: str, free: Sequence[str]) -> list[str]:
    """A free name that is a word of ``name``, or the other way round: task for task_id, model_score for
    score."""
    return [other for other in free if other in name.split("_") or name in other.split("_")][:1]
