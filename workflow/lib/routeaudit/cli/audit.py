"""routeaudit audit: the trace audit of a folder of trace tables, of one table, or of a grid of folders."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from routeaudit.deliberation.settings import AuditSettings, ValidityRule
from routeaudit.errors import InputError

if TYPE_CHECKING:
    from routeaudit.deliberation.audit import AuditResult
    from routeaudit.deliberation.trace import Trace


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    defaults = AuditSettings()
    parser = subparsers.add_parser(
        "audit",
        help="audit routing, calibration and commitment of recorded traces",
        description="Audit TRACES: a folder of trace tables, one table of candidates (CSV, TSV, JSON lines, "
        "a JSON array or Parquet, also .gz; columns problem_uid, agent, score, correct; optionally block, "
        "tier, difficulty, answer, parse_ok, selected), or a folder of trace folders (a grid). Writes "
        "card.json, card.html and audit.html.",
    )
    parser.add_argument(
        "traces", metavar="TRACES", type=Path, help="folder of trace tables, or one table of candidates"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("audit"), help="default: audit")
    parser.add_argument("--scale", type=float, help="the score that means certainty; needed for a table")
    parser.add_argument("--resamples", type=int, default=defaults.resamples, help="default: %(default)s")
    parser.add_argument(
        "--permutations", type=int, default=defaults.permutations, help="default: %(default)s"
    )
    parser.add_argument("--seed", type=int, default=defaults.seed, help="default: %(default)s")
    parser.add_argument(
        "--no-range-check",
        action="store_true",
        help="count scores outside the scale as valid; calibration is then refused",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Audit and write the pages; prints the main numbers, the cautions and where the pages are."""
    settings = replace(
        AuditSettings(),
        resamples=arguments.resamples,
        permutations=arguments.permutations,
        seed=arguments.seed,
        validity=ValidityRule(check_range=not arguments.no_range_check),
    )
    cells = _cells(arguments.traces)
    if not cells:
        _check_path(arguments.traces)
    # Imported here: a wrong path should not wait for scipy and scikit-learn.
    from routeaudit.deliberation.audit import run_audit
    from routeaudit.deliberation.card import cautions
    from routeaudit.deliberation.text import one_line, summary
    from routeaudit.deliberation.trace import read_trace
    from routeaudit.report.audit import grid_page, write_audit
    from routeaudit.report.page import write_page

    if not cells:
        result = run_audit(load(arguments.traces, arguments.scale), settings)
        write_audit(result, arguments.out, arguments.traces.name)
        _tell([summary(result, cautions(result)), str(arguments.out / "audit.html")])
        return 0
    results = {cell.name: run_audit(read_trace(cell), settings) for cell in cells}
    for name, result in results.items():
        write_audit(result, arguments.out / name, name)
        print(f"{name}: {one_line(result)}")
    links = {name: f"{name}/audit.html" for name in results}
    write_page(arguments.out / "grid.html", grid_page(results, links))
    told = [f"{name}: {line}" for name, result in results.items() for line in _cautions(result)]
    _tell([*told, str(arguments.out / "grid.html")])
    return 0


def _check_path(path: Path) -> None:
    from routeaudit.tables.foreign.raw import check_file, inside_hint

    expected = "a trace folder, or a table of candidates"
    if not path.is_dir():
        check_file(path, expected)
    elif not (path / "trace.json").exists():
        raise InputError(str(path), expected, "a folder without trace.json", inside_hint(path))


def _cautions(result: AuditResult) -> Iterator[str]:
    if result.other_scale:
        yield f"caution: {result.other_scale}"


def _tell(lines: list[str]) -> None:
    print("\n".join(lines))


def load(path: Path, scale: float | None) -> Trace:
    """The trace at a path: a folder of tables or a table of candidates.

    Raises
    ------
    InputError : nothing there, or a scale that contradicts the folder's own
    """
    from routeaudit.deliberation.candidates import read_candidates
    from routeaudit.deliberation.trace import read_trace

    if not path.is_dir():
        return read_candidates(path, scale)
    trace = read_trace(path)
    if scale is not None and scale != trace.meta.score_scale:
        raise InputError(
            str(path / "trace.json"),
            f"score_scale {scale:g}",
            f"{trace.meta.score_scale:g}",
            "leave --scale out: the folder says its own",
        )
    return trace


def _cells(path: Path) -> list[Path]:
    """Trace folders inside a folder that is none itself."""
    if not path.is_dir() or (path / "trace.json").exists():
        return []
    return sorted(child for child in path.iterdir() if (child / "trace.json").exists())
