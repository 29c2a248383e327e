"""The header beside a policy's routes: who made them, from what, held back by which mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from routeaudit.config.routers import RouterConfig, RouteTable, UserFile
from routeaudit.cover.freeze.inputs import Digests
from routeaudit.cover.freeze.launch import UnitResult
from routeaudit.tables import canonical_json, file_digest, table_digest, text_digest


def fitted_header(
    policy: str, definition: RouterConfig, results: Sequence[UnitResult], routes: pa.Table, digests: Digests
) -> dict[str, Any]:
    """Header of routes that our own processes made, with one entry per fit."""
    fits = [_fit(result, digests) for result in results]
    mechanisms = {fit["confinement"]["mechanism"] for fit in fits}
    return {
        **_common(policy, definition, routes),
        "mechanism": mechanisms.pop() if len(mechanisms) == 1 else "none",
        "inputs_digest": text_digest(canonical_json([fit["inputs"] for fit in fits])),
        "crossfit": any(fit["fold"] is not None for fit in fits),
        "fits": fits,
    }


def table_header(policy: str, definition: RouteTable, routes: pa.Table) -> dict[str, Any]:
    """Header of routes that were made elsewhere: nothing of ours held their makers back."""
    digest = file_digest(Path(definition.file))
    return {
        **_common(policy, definition, routes),
        "mechanism": "none",
        "inputs_digest": digest,
        "crossfit": False,
        "fits": [],
    }


def _common(policy: str, definition: RouterConfig, routes: pa.Table) -> dict[str, Any]:
    return {
        "policy": policy,
        "information_set": definition.information_set,
        "definition": definition_of(definition),
        "seed": definition.seed,
        "routes_digest": table_digest(routes),
        "n_routes": routes.num_rows,
    }


def definition_of(definition: RouterConfig) -> dict[str, Any]:
    """The configuration without paths of this machine; a file of the user's goes by name and content."""
    values: dict[str, Any] = definition.model_dump(mode="json")
    if isinstance(definition, UserFile | RouteTable):
        values["file"] = Path(definition.file).name
        values["file_sha256"] = file_digest(Path(definition.file))
    return values


def _fit(result: UnitResult, digests: Digests) -> dict[str, Any]:
    unit = result.unit
    return {
        "fold": unit.fold,
        "n_train": len(unit.train),
        "n_routed": len(unit.route),
        "n_fallback": result.fallbacks,
        "inputs": {role: digests.of(path) for role, path in sorted(unit.tables.items())},
        "confinement": result.held,
        "asked_outside": list(result.asked_outside),
        "fitted": result.fitted,
    }
