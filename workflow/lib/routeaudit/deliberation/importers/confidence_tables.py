"""Published tables of single answers with confidence: LifeEval, GI board questions, KKS puzzles.

One block per question, one poll per model; nobody is selected and nobody speaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from routeaudit.deliberation.importers.base import (
    NO_OUTCOMES,
    NO_SELECTION,
    NO_SPEAKS,
    Imported,
    Listed,
    Row,
    block_row,
    invalid_polls,
    poll_row,
    trace_of,
)
from routeaudit.deliberation.importers.reading import flag, number, rows_of
from routeaudit.errors import InputError

_LACKS = {"selections": NO_SELECTION, "speaks": NO_SPEAKS, "outcomes": NO_OUTCOMES}
_GI_BLANK = {"cell_empty", "no_confidence"}
_NO_ANSWERS = "the table says whether an answer is correct, not what it is"


def import_lifeeval(path: Path, question_set: str, token_confidence: bool = False) -> Imported:
    """One question set of LifeEval's ``llm-confidence-correct.csv``; confidence from 0 to 1.

    Models are seen in alphabetical order. `token_confidence` takes the probability of the chosen token
    instead of the stated confidence; models without it are left out of the valid polls.

    Raises
    ------
    InputError : no such question set
    """
    column = "chosen_token_confidence" if token_confidence else "stated_confidence"
    rows = [
        (where, row)
        for where, row in rows_of(path, ("llm", "qset", "question_id", "correct", column))
        if row["qset"] == question_set
    ]
    if not rows:
        raise InputError(
            str(path), "a question set of the file", repr(question_set), "for example boolq_valid"
        )
    rows.sort(key=lambda item: (int(item[1]["question_id"]), item[1]["llm"]))
    polls = (
        (
            f"q{int(row['question_id']):05d}",
            row["llm"],
            number(row[column], where),
            flag(row["correct"], where),
            None,
        )
        for where, row in rows
    )
    return _table(polls, 1.0, "LifeEval " + question_set, answers=False)


def import_gi(path: Path) -> Imported:
    """The GI table ``merged_confidence_correctness_new.csv``: one row per question, two columns per model.

    Confidence from 0 to 10; blank, ``cell_empty`` and ``no_confidence`` are none stated. Models are seen
    in column order.
    """
    polls = []
    for place, (where, row) in enumerate(rows_of(path)):
        for column in row:
            if not column.endswith("_confidence"):
                continue
            model = column.removesuffix("_confidence")
            stated = None if row[column] in _GI_BLANK else number(row[column], f"{where}, {column}")
            correct = flag(row.get(f"{model}_correctness"), f"{where}, {model}")
            polls.append((f"q{place + 1:03d}", model, stated, correct, None))
    return _table(polls, 10.0, "GI board questions", answers=False)


def import_kks_table(path: Path) -> Imported:
    """The KKS puzzles' ``baseline_13x100.csv``: confidence from 0 to 100, correct = all roles right.

    A row whose answer did not parse, or whose confidence lies outside the scale, is kept as an invalid
    poll. A parsed row without an assignment is a wrong candidate, as in the source, and is listed.
    """
    needed = ("game_id", "model", "parsed", "confidence", "all_correct", "prediction")
    polls = []
    for where, row in rows_of(path, needed):
        parsed = flag(row["parsed"], where)
        score = number(row["confidence"], where) if parsed else None
        answer = (row["prediction"] or NO_ROLES) if parsed else None
        polls.append(
            (f"game-{int(row['game_id']):03d}", row["model"], score, flag(row["all_correct"], where), answer)
        )
    return _table(polls, 100.0, "knight-knave-spy puzzles", answers=True)


# What a parsed row without an assignment says; its source grades it as wrong, so it stays a candidate.
NO_ROLES = "no roles assigned"
_Poll = tuple[str, str, float | None, bool | None, str | None]


def _table(polls: Iterable[_Poll], scale: float, benchmark: str, answers: bool) -> Imported:
    blocks: dict[str, Row] = {}
    rows: list[Row] = []
    sizes: dict[str, int] = {}
    for uid, agent, score, correct, answer in polls:
        block = blocks.setdefault(uid, block_row(uid, uid))
        sizes[uid] = sizes.get(uid, -1) + 1
        form = None if answer is None else role_form(answer)
        rows.append(
            poll_row(
                block, agent, sizes[uid], score_raw=score, answer=answer, answer_norm=form, correct=correct
            )
        )
    lacks = _LACKS if answers else {**_LACKS, "answers": _NO_ANSWERS}
    agents = sorted({row["agent"] for row in rows})
    trace = trace_of(
        {"blocks": list(blocks.values()), "polls": rows},
        scale,
        lacks,
        benchmark=benchmark,
        agent_model=agents,
    )
    return Imported(trace, _counts(rows, blocks), _invalid(rows, scale))


def _counts(rows: list[Row], blocks: dict[str, Row]) -> dict[str, int]:
    scored = sum(row["parse_ok"] for row in rows)
    return {"polls": len(rows), "blocks": len(blocks), "parsed": scored, "unparsed": len(rows) - scored}


def _invalid(rows: list[Row], scale: float) -> tuple[Listed, ...]:
    unlabelled = [
        Listed(f"{row['trace']} {row['agent']}", "correctness unknown")
        for row in rows
        if row["parse_ok"] and row["correct"] is None
    ]
    empty = [Listed(f"{row['trace']} {row['agent']}", NO_ROLES) for row in rows if row["answer"] == NO_ROLES]
    return (*invalid_polls(rows, scale), *unlabelled, *empty)


def role_form(answer: str | dict[str, str]) -> str:
    """The normal form of an assignment of roles: sorted by player. Text that is no assignment stays as it
    is."""
    roles = answer
    if isinstance(answer, str):
        try:
            roles = json.loads(answer)
        except json.JSONDecodeError:
            return answer.strip().lower()
    if not isinstance(roles, dict):
        return str(answer).strip().lower()
    return "; ".join(f"{player}={role}" for player, role in sorted(roles.items()))
