"""What the engine is to reach, each target beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Measured = Mapping[tuple[str, str], Mapping[str, float]]
"""(size, method) -> cpu seconds and added memory in MiB."""

FIXED = (
    ("T = 1,000,000", "routeaudit mc", "cpu", 25.0),
    ("T = 1,000,000", "routeaudit mc", "memory", 3 * 160e6 / 2**20),
    ("T = 1,000,000", "routeaudit analytic", "cpu", 0.3),
    ("1,000,000 x 16", "routeaudit", "cpu", 0.03),
)
WHOLE = (("routeaudit score, T = 500", "wall", 3.0), ("routeaudit score --stream", "memory", 4096.0))
SMALL, OURS = "T = 500", "routeaudit mc"
MARGIN = 1.1
UNITS = {"cpu": "CPU s", "wall": "wall s", "memory": "MiB"}


def targets(measured: Measured, commands: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Markdown rows: target, limit, measured, whether it is met; what was not measured has no row."""
    yield from ("| target | at most | measured | |", "|---|---|---|---|")
    for size, method, field, limit in FIXED:
        if (size, method) in measured:
            yield _row(f"{method}, {size}", field, limit, measured[size, method][field])
    peers = [
        found["cpu"]
        for (size, method), found in measured.items()
        if size == SMALL and not method.startswith("routeaudit")
    ]
    if peers and (SMALL, OURS) in measured:
        name = f"{OURS}, {SMALL}: {MARGIN} x the fastest peer"
        yield _row(name, "cpu", MARGIN * min(peers), measured[SMALL, OURS]["cpu"])
    for start, field, limit in WHOLE:
        for name, found in commands.items():
            if name.startswith(start):
                yield _row(name, field, limit, found[field])


def _row(name: str, field: str, limit: float, found: float) -> str:
    return f"| {name} | {limit:.4g} {UNITS[field]} | {found:.4g} | {'met' if found <= limit else 'missed'} |"
