"""routeaudit convert: other people's records as trace tables, ready for routeaudit audit."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from routeaudit.errors import InputError

if TYPE_CHECKING:
    from routeaudit.deliberation.importers.base import Imported
    from routeaudit.deliberation.problems.base import Problem

Arguments = argparse.Namespace


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "convert",
        help="turn other people's records into trace tables",
        description="Convert FILES of a FORMAT into the trace folder DIR, and write DIR/import.json: what "
        "was counted, which records are invalid or left out, what the source lacks. "
        "Then: routeaudit audit DIR.",
    )
    kinds = sorted(FORMATS)
    parser.add_argument("format", metavar="FORMAT", choices=kinds, help=", ".join(kinds))
    parser.add_argument("files", metavar="FILES", type=Path, nargs="+", help="files of one source")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the trace folder to write")
    parser.add_argument(
        "--scale", type=float, help="the score that means certainty; not for published tables"
    )
    columns = "column map of plain tables: score=confidence"
    parser.add_argument("--columns", metavar="OURS=THEIRS", nargs="+", default=[], help=columns)
    parser.add_argument("--question-set", default="boolq_valid", help="of lifeeval; default: %(default)s")
    parser.add_argument("--scorer", help="of inspect: whose value is correctness")
    problems = "references of message logs: uid, question, answer; a log is named after its problem's uid"
    parser.add_argument("--problems", metavar="JSONL", type=Path, help=problems)
    parser.set_defaults(run=run)


def run(arguments: Arguments) -> int:
    """Convert and write; prints what was counted, listed and found lacking."""
    # Imported here: a wrong path should not wait for the importers.
    from routeaudit.tables.foreign.raw import check_file

    for path in (*arguments.files, arguments.problems):
        if path is not None:
            check_file(
                path, f"a file of format {arguments.format}" if path in arguments.files else "problems"
            )
    from routeaudit.deliberation.trace import write_trace
    from routeaudit.tables import write_json

    made = FORMATS[arguments.format](arguments)
    write_trace(arguments.out, made.trace)
    write_json(arguments.out / "import.json", made.report())
    print(", ".join(f"{count} {name}" for name, count in made.counts.items()))
    print(f"{len(made.listed)} invalid or left-out records, listed in {arguments.out / 'import.json'}")
    for stage, why in made.trace.meta.lacks.items():
        print(f"lacks {stage}: {why}")
    return 0


def _one(arguments: Arguments) -> Path:
    if len(arguments.files) != 1:
        found = f"{len(arguments.files)} files"
        raise InputError(f"format {arguments.format}", "one file", found, "convert them singly")
    path: Path = arguments.files[0]
    return path


def _scale(arguments: Arguments) -> float:
    if arguments.scale is None or not arguments.scale > 0:
        found = str(arguments.scale)
        raise InputError("--scale", "the score that means certainty", found, "for example --scale 100")
    return float(arguments.scale)


def _columns(arguments: Arguments) -> dict[str, str]:
    for pair in arguments.columns:
        if "=" not in pair:
            raise InputError("--columns", "pairs OURS=THEIRS", repr(pair), "for example score=confidence")
    return dict(pair.split("=", 1) for pair in arguments.columns)


def _problems(arguments: Arguments) -> Mapping[str, Problem]:
    if arguments.problems is None:
        return {}
    from routeaudit.config.problems import FileProblems
    from routeaudit.deliberation.problems.load import load_problems

    config = FileProblems(kind="file", format="plain", files=(str(arguments.problems),), data_dir="")
    return {problem.uid: problem for problem in load_problems(config)}


def _plain(a: Arguments) -> Imported:
    from routeaudit.deliberation.importers.plain import import_plain

    return import_plain(_one(a), _scale(a), _columns(a))


def _published(a: Arguments) -> Imported:
    from routeaudit.deliberation.importers import confidence_tables as tables

    if a.format == "lifeeval":
        return tables.import_lifeeval(_one(a), a.question_set)
    return tables.import_gi(_one(a)) if a.format == "gi" else tables.import_kks_table(_one(a))


def _debates(a: Arguments) -> Imported:
    from routeaudit.deliberation.importers.kks_debates import import_kks_debates

    return import_kks_debates(a.files)


def _messages(a: Arguments) -> Imported:
    from routeaudit.deliberation.importers.message_logs import import_autogen, import_langgraph
    from routeaudit.deliberation.importers.transcripts import Reading

    read = import_autogen if a.format == "autogen" else import_langgraph
    return read(a.files, Reading(_scale(a)), _problems(a))


def _inspect(a: Arguments) -> Imported:
    from routeaudit.deliberation.importers.inspect_logs import InspectReading, import_inspect

    return import_inspect(a.files, InspectReading(_scale(a), a.scorer))


FORMATS: Mapping[str, Callable[[Arguments], Imported]] = {
    "plain": _plain,
    "lifeeval": _published,
    "gi": _published,
    "kks": _published,
    "kks-debates": _debates,
    "autogen": _messages,
    "langgraph": _messages,
    "inspect": _inspect,
}
