"""Routes made elsewhere: a table of any kind that is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from routeaudit.errors import InputError
from routeaudit.tables.foreign import Wanted, read_foreign, values

_WANTED = Wanted.of(("policy", "task_id", "team_id"), ("score",))


def read_route_rows(path: Path, policy: str) -> list[dict[str, object]]:
    """Rows of one policy as (task_id, team_id, score, fold); a table without scores gives none.

    Raises
    ------
    InputError : a file that is no such table, a blank name, or no row of the policy.
    """
    source = read_foreign(path, _WANTED)
    columns = {name: values.identifiers(source, name) for name in ("policy", "task_id", "team_id")}
    score = (
        values.numbers(source, "score") if source.has("score") else np.full(len(columns["policy"]), np.nan)
    )
    table = pa.table(columns | {"score": pa.array(score, mask=np.isnan(score))})
    rows = [row for row in table.to_pylist() if row.pop("policy") == policy]
    if not rows:
        policies = sorted(set(columns["policy"].to_pylist()))
        raise InputError(
            f"{path}, column 'policy'", f"rows of {policy!r}", f"only {', '.join(policies)}", "mend `policy`"
        )
    return [row | {"fold": None} for row in rows]
