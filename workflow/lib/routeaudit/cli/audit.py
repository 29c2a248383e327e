"""routeaudit audit: the trace audit of a folder of trace tables, of one CSV, or of a grid of folders."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from routeaudit.deliberation.audit import run_audit
from routeaudit.deliberation.candidates_csv import read_candidates
from routeaudit.deliberation.card import cautions
from routeaudit.deliberation.dataset import ValidityRule
from routeaudit.deliberation.settings import AuditSettings
from routeaudit.deliberation.text import one_line, summary
from routeaudit.deliberation.trace import Trace, read_trace
from routeaudit.errors import InputError
from routeaudit.report.audit import grid_page, write_audit
from routeaudit.report.page import write_page


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    defaults = AuditSettings()
    parser = subparsers.add_parser(
        "audit",
        help="audit routing, calibration and commitment of recorded traces",
        description="Audit TRACES: a folder of trace tables, one CSV of candidates (columns problem_uid, "
        "agent, score, correct; optionally block, tier, difficulty, answer, parse_ok, selected), or a folder "
        "of trace folders (a grid). Writes card.json, card.html and audit.html.",
    )
    parser.add_argument(
        "traces", metavar="TRACES", type=Path, help="folder of trace tables, or one CSV of candidates"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("audit"), help="default: audit")
    parser.add_argument("--scale", type=float, help="the score that means certainty; needed for a CSV")
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
        result = run_audit(load(arguments.traces, arguments.scale), settings)
        write_audit(result, arguments.out, arguments.traces.name)
        print(summary(result, cautions(result)), arguments.out / "audit.html", sep="\n")
        return 0
    results = {cell.name: run_audit(read_trace(cell), settings) for cell in cells}
    for name, result in results.items():
        write_audit(result, arguments.out / name, name)
        print(f"{name}: {one_line(result)}")
    links = {name: f"{name}/audit.html" for name in results}
    write_page(arguments.out / "grid.html", grid_page(results, links))
    print(arguments.out / "grid.html")
    return 0


def load(path: Path, scale: float | None) -> Trace:
    """The trace at a path: a folder of tables or a CSV of candidates.

    Raises
    ------
    InputError : nothing there, or a scale that contradicts the folder's own
    """
    if path.is_file():
        return read_candidates(path, scale)
    if not path.is_dir():
        raise InputError(str(path), "a trace folder or a CSV file", "nothing there", "check the path")
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
