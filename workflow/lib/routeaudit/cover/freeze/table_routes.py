"""Routes made elsewhere: a CSV or Parquet table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from routeaudit.errors import InputError

_NEEDED = ("policy", "task_id", "team_id")


def read_route_rows(path: Path, policy: str) -> list[dict[str, object]]:
    """Rows of one policy as (task_id, team_id, score, fold); a table without scores gives none.

    Raises
    ------
    InputError : no such file, another format, a missing column, or no row of the policy.
    """
    table = _read(path)
    missing = [column for column in _NEEDED if column not in table.column_names]
    if missing:
        raise InputError(
            str(path), f"the columns {', '.join(_NEEDED)}", f"no {', '.join(missing)}", "name the columns so"
        )
    rows = [row for row in table.to_pylist() if row["policy"] == policy]
    if not rows:
        policies = sorted({str(name) for name in table["policy"].to_pylist()})
        raise InputError(
            f"{path}, column 'policy'", f"rows of {policy!r}", f"only {', '.join(policies)}", "mend `policy`"
        )
    return [
        {"task_id": row["task_id"], "team_id": row["team_id"], "score": row.get("score"), "fold": None}
        for row in rows
    ]


def _read(path: Path) -> pa.Table:
    text_ids = pa.csv.ConvertOptions(column_types=dict.fromkeys(_NEEDED, pa.string()))
    try:
        if path.suffix == ".parquet":
            return pq.read_table(path)
        return pa.csv.read_csv(path, convert_options=text_ids)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(str(path), "a CSV or Parquet table of routes", str(error), "mend the file") from None
