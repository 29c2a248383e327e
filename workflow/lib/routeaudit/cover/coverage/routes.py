"""Frozen routes as mappings."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa


def routes_by_policy(table: pa.Table, policies: Sequence[str] | None = None) -> dict[str, dict[str, str]]:
    """FROZEN_ROUTES as policy -> task_id -> team_id, in the order of `policies` (default: by name)."""
    routes: dict[str, dict[str, str]] = {name: {} for name in policies or ()}
    for row in table.to_pylist():
        routes.setdefault(row["policy"], {})[row["task_id"]] = row["team_id"]
    return routes
