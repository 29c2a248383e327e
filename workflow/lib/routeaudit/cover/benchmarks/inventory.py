"""An inventory as one private file, so that ingest, split and publish are separate stages."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.errors import InputError
from routeaudit.tables import read_json, write_json

_INVENTORY = TypeAdapter(Inventory)


def write_inventory(path: Path, inventory: Inventory) -> None:
    """Write an inventory as JSON; equal inventories give equal bytes."""
    write_json(path, _INVENTORY.dump_python(inventory, mode="json"))


def read_inventory(path: Path) -> Inventory:
    """Read what `write_inventory` wrote."""
    try:
        return _INVENTORY.validate_python(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"{path}, key {'.'.join(map(str, first['loc']))!r}",
            "an inventory of source tasks",
            first["msg"],
            "run the ingest stage again",
        ) from None


def check_counts(inventory: Inventory, where: str) -> None:
    """Hold an inventory against total = kept + dropped, unique task ids and at least one task."""
    kept, dropped = len(inventory.tasks), sum(inventory.dropped.values())
    if inventory.total != kept + dropped:
        raise InputError(
            where,
            "total = kept + dropped",
            f"{inventory.total} != {kept} + {dropped}",
            "count every record that the adapter drops",
        )
    if not kept:
        raise InputError(
            where,
            "at least one usable task",
            f"none of {inventory.total}: {dict(inventory.dropped)}",
            "use the benchmark's original file, or loosen the declared rules",
        )


def missing_cells(inventory: Inventory) -> dict[str, list[str]]:
    """Original id -> teams (names joined by +) that nobody observed, of the tasks that have such."""
    found = {
        task.original_id: ["+".join(cell.workers) for cell in task.cells if cell.value is None]
        for task in inventory.tasks
    }
    return {original_id: teams for original_id, teams in found.items() if teams}
