"""Problems from files: OlympiadBench and its relatives, MATH-500, LAB-Bench, and a plain format."""

from __future__ import annotations

import csv
import io
import json
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from routeaudit.config.problems import FileProblems, TierRule
from routeaudit.deliberation.problems.base import Problem
from routeaudit.errors import InputError
from routeaudit.tables import file_digest, text_digest
from routeaudit.tables.foreign.raw import content, utf8

Row = dict[str, Any]
Reader = Callable[[Row, str], Problem]


def file_problems(config: FileProblems) -> list[Problem]:
    """All problems of the declared files, with tiers, in a seeded order where a limit is set."""
    found: list[Problem] = []
    for i, name in enumerate(config.files):
        path = Path(config.data_dir).expanduser() / name
        _check_digest(path, config.sha256[i] if config.sha256 else None)
        rows = _csv_rows(path) if path.suffix == ".csv" else _json_rows(path)
        found += [_read(row, where, config.format) for where, row in rows]
    tiered = [_shuffled(_tiered(problem, config.tiers), config.seed) for problem in found]
    if config.limit is None:
        return tiered
    return sorted(tiered, key=lambda p: text_digest(f"{config.seed}|{p.uid}"))[: config.limit]


def _check_digest(path: Path, wanted: str | None) -> None:
    if not path.is_file():
        raise InputError(str(path), "a file of problems", "no such file", "set data_dir and files")
    if wanted is not None and (found := file_digest(path)) != wanted:
        raise InputError(str(path), f"sha256 {wanted}", f"sha256 {found}", "declare the file that you have")


def _json_rows(path: Path) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{path}:{number}", "one JSON object per line", error.msg, "repair the line"
            ) from None
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}", "a JSON object", type(row).__name__, "repair the line")
        yield f"{path}:{number}", row


def _csv_rows(path: Path) -> Iterator[tuple[str, Row]]:
    for number, row in enumerate(csv.DictReader(io.StringIO(_text(path), newline="")), 2):
        yield f"{path}:{number}", dict(row)


def _text(path: Path) -> str:
    return utf8(content(path, "a file of problems"), path).decode()


def _read(row: Row, where: str, format_: str) -> Problem:
    try:
        return _READERS[format_](row, where)
    except KeyError as error:
        raise InputError(
            where, f"a record of format {format_}", f"no field {error}", "choose the format of the file"
        ) from None


def _olympiad(row: Row, where: str) -> Problem:
    text = row.get("question") or row["problem"]
    context = row.get("context")
    subfield = row.get("subfield")
    return Problem(
        uid=f"{Path(where.rpartition(':')[0]).stem}/{row['id']}",
        question=f"{context}\n{text}" if context else text,
        kind="math",
        answer=_olympiad_answer(row),
        tier=str(subfield) if subfield else None,
    )


def _olympiad_answer(row: Row) -> str:
    stated = row.get("final_answer", row.get("answer"))
    if stated is None:
        raise KeyError("final_answer")
    if isinstance(stated, list):
        return ", ".join(map(str, stated))
    return str(int(stated)) if isinstance(stated, float) and stated.is_integer() else str(stated)


def _math500(row: Row, where: str) -> Problem:
    # The distributed CSV doubles every brace of its answers and worked solutions.
    answer = row["reference_answers"].replace("{{", "{").replace("}}", "}")
    level = row.get("level")
    return Problem(
        uid=row["qid"],
        question=row["question"].replace("{{", "{").replace("}}", "}"),
        kind="math",
        answer=answer,
        tier=f"level {level}" if level else row.get("subject"),
        difficulty=float(level) if level else None,
    )


def _labbench(row: Row, where: str) -> Problem:
    protocol = row.get("protocol")
    question = f"{protocol}\n\n{row['question']}" if protocol else row["question"]
    subset = Path(where.rpartition(":")[0]).stem.split("-v1")[0]
    if not row.get("distractors"):
        return Problem(row["id"], question, "short", str(row["ideal"]), tier=subset)
    ideal, seen = str(row["ideal"]), dict.fromkeys([str(row["ideal"]), *map(str, row["distractors"])])
    return Problem(row["id"], question, "choice", ideal, options=tuple(seen), tier=subset)


def _plain(row: Row, where: str) -> Problem:
    options = tuple(map(str, row.get("options") or ()))
    difficulty = row.get("difficulty")
    return Problem(
        uid=str(row["uid"]),
        question=str(row["question"]),
        kind="choice" if options else row.get("kind", "short"),
        answer=str(row["answer"]),
        aliases=tuple(map(str, row.get("aliases") or ())),
        options=options,
        tier=None if row.get("tier") is None else str(row["tier"]),
        difficulty=None if difficulty is None else float(difficulty),
    )


_READERS: dict[str, Reader] = {
    "olympiadbench": _olympiad,
    "math500": _math500,
    "labbench": _labbench,
    "plain": _plain,
}


def _tiered(problem: Problem, rule: TierRule) -> Problem:
    if rule.rule == "source":
        return problem
    if rule.rule == "none":
        return replace(problem, tier=None)
    return replace(problem, tier=f"{bisect_right(rule.cuts, len(problem.question)) + 1:02d}")


def _shuffled(problem: Problem, seed: int) -> Problem:
    """Options in an order that carries no information about the answer."""
    options = list(problem.options)
    random.Random(f"{seed}|{problem.uid}").shuffle(options)
    return replace(problem, options=tuple(options))
