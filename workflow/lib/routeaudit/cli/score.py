"""routeaudit score: score an outcome table that exists already, without Snakemake or configuration."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from routeaudit.errors import InputError

if TYPE_CHECKING:
    from routeaudit.cover.scoring.assess import Assessment
    from routeaudit.inference.plan import InferencePlan


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "score",
        help="score an existing outcome table: regret, bounds, contrasts, what to run next",
        description="Score frozen routes against outcomes that exist already. Says which coverage regime "
        "the table allows and why, prints regret per policy, the oracle or sharp bounds, all contrasts "
        "with Holm-adjusted p, denominators, flags, and the cheapest missing cells to decide what is open.",
    )
    parser.add_argument(
        "outcomes",
        type=Path,
        metavar="OUTCOMES",
        help="CSV, TSV, JSON lines, a JSON array or Parquet, also .gz: task_id, team_id, outcome in [0, 1] "
        "[, source_id, endpoint, status ok|invalid_run|missing, replicate, n_workers]",
    )
    parser.add_argument("routes", type=Path, metavar="ROUTES", help="policy, task_id, team_id")
    parser.add_argument(
        "--family", type=Path, help="the legal family: task_id, team_id [, n_workers, canonical_rank]"
    )
    parser.add_argument(
        "--criterion",
        action="append",
        default=[],
        type=_criterion,
        metavar="POLICY=C",
        help="judge regret <= C",
    )
    parser.add_argument("--level", type=_level, default=0.95, help="confidence level (default: 0.95)")
    parser.add_argument("--seed", type=int, default=0, help="seed of Monte Carlo intervals (default: 0)")
    parser.add_argument(
        "--engine",
        choices=("auto", "exact", "analytic", "mc"),
        default="auto",
        help="how resampling distributions are computed",
    )
    parser.add_argument(
        "--stream",
        action="store_true",
        help="read a complete Parquet table, sorted by task_id, one row group at a time",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="also write score.json, score.txt and CSV tables"
    )
    parser.set_defaults(run=run)


def _criterion(text: str) -> tuple[str, float]:
    policy, _, threshold = text.rpartition("=")
    try:
        value = float(threshold)
    except ValueError:
        value = -1.0
    if not policy or not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected POLICY=C with C in [0, 1], found {text!r}")
    return policy, value


def _level(text: str) -> float:
    level = float(text)
    if not 0.5 < level < 1:
        raise argparse.ArgumentTypeError(f"expected a level between 0.5 and 1, found {text}")
    return level


def run(arguments: argparse.Namespace) -> int:
    """Score and print; 0 unless the input cannot be scored."""
    # Imported here: the other commands of this program, and a wrong path, should not wait for scipy.
    from routeaudit.tables.foreign.raw import check_file

    for path in (arguments.outcomes, arguments.routes, arguments.family):
        if path is not None:
            check_file(path)
    from routeaudit.cover.scoring import streaming, text
    from routeaudit.inference.plan import InferencePlan
    from routeaudit.tables.files import write_text

    plan = InferencePlan(level=arguments.level, seed=arguments.seed, engine=arguments.engine)
    if arguments.stream:
        found = streaming.assess_stream(arguments.outcomes, arguments.routes, plan)
    else:
        found = _in_memory(arguments, plan)
    document = _document(found) if arguments.json or arguments.out is not None else ""
    shown = text.render(found)
    if arguments.out is not None:
        files = {"score.json": document + "\n", "score.txt": shown + "\n", **_tables(found)}
        for name, content in files.items():
            write_text(arguments.out / name, content)
    print(document if arguments.json else shown)
    return 0


def _document(found: Assessment) -> str:
    """The assessment as JSON; contrasts one a line, which a large family needs to be written fast."""
    document = found.to_dict()
    rows = document.pop("contrasts")
    lines = ",\n".join(f"  {json.dumps(row, allow_nan=False)}" for row in rows)
    head = json.dumps(document, indent=1, allow_nan=False).removesuffix("\n}")
    return f'{head},\n "contrasts": [\n{lines}\n ]\n}}'


def _in_memory(arguments: argparse.Namespace, plan: InferencePlan) -> Assessment:
    from routeaudit.cover.scoring import assess, readers, route_file

    outcomes = readers.read_outcomes(arguments.outcomes)
    family = None
    if arguments.family is not None:
        family = readers.read_family(arguments.family, outcomes, arguments.outcomes)
    file = route_file.read_routes(arguments.routes)
    route_file.check_routes(file, outcomes, arguments.outcomes, family)
    routes, thresholds = file.by_policy(), dict(arguments.criterion)
    if unknown := sorted(set(thresholds) - set(routes)):
        raise InputError(
            "--criterion",
            f"a policy of {arguments.routes}",
            repr(unknown[0]),
            f"name one of {', '.join(routes)}",
        )
    return assess.assess(outcomes, routes, plan, family, thresholds)


def _tables(found: Assessment) -> dict[str, str]:
    estimates = [estimate.to_row() for part in found.endpoints for estimate in part.estimates]
    criteria = [result.to_row() for part in found.endpoints for result in part.criteria]
    contrasts = [result.to_row() for result in found.contrasts]
    tables = {"scores.csv": estimates, "contrasts.csv": contrasts, "criteria.csv": criteria}
    return {name: _csv(rows) for name, rows in tables.items() if rows}


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    buffer = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(buffer, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()
