"""The KKS debates: three agents assign roles to the players of a puzzle, round by round, and vote at the end.

Every agent's whole assignment after a round is a poll: the initial proposal in round 0, the
self-adjustment in the later ones. All agents see the debate; nobody is selected to speak for the group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from routeaudit.deliberation.importers.base import (
    NO_SELECTION,
    Imported,
    Listed,
    Row,
    block_row,
    invalid_polls,
    poll_row,
    trace_of,
)
from routeaudit.deliberation.importers.confidence_tables import role_form
from routeaudit.deliberation.importers.reading import listed, parsed, read_text
from routeaudit.deliberation.trace import BROADCAST
from routeaudit.errors import InputError
from routeaudit.tables import text_digest

SCALE = 5.0
_LACKS = {
    "selections": NO_SELECTION,
    "speaks": "all agents speak in every round; nobody speaks for the group",
    "verdicts": "assignments of roles are compared exactly",
}


def import_kks_debates(paths: Sequence[Path]) -> Imported:
    """The trace of debate files; confidence from 1 to 5.

    A poll is correct if every player's role is. A confidence of 0 is the source's word for none stated.
    Where the accuracy stored in a file differs from the one of its own assignments, the place is listed.

    Raises
    ------
    InputError : no file, or one off the format
    """
    if not paths:
        raise InputError("debates", "at least one debate file", "none", "name the files")
    blocks: list[Row] = []
    polls: list[Row] = []
    outcomes: list[Row] = []
    differing: list[Listed] = []
    for path in sorted(paths):
        debate = _debate(path)
        for block, rows in _blocks(path, debate):
            blocks.append(block)
            polls += rows
        outcomes.append(_outcome(path, debate))
        differing += _differences(path, debate)
    tables = {"blocks": blocks, "polls": polls, "outcomes": outcomes}
    agents = sorted({row["agent"] for row in polls})
    trace = trace_of(tables, SCALE, _LACKS, benchmark="knight-knave-spy debates", agent_model=agents)
    counts = {"debates": len(outcomes), "blocks": len(blocks), "polls": len(polls)}
    return Imported(trace, counts, invalid_polls(polls, SCALE) + tuple(differing))


def _debate(path: Path) -> dict[str, Any]:
    debate = parsed(read_text(path), str(path))
    keys = ("game_text", "ground_truth_solution", "initial_proposals", "debate_rounds", "final_vote")
    missing = [key for key in keys if not isinstance(debate, dict) or key not in debate]
    if missing:
        raise InputError(
            str(path), f"a debate with {', '.join(keys)}", f"no {', '.join(missing)}", "check the file"
        )
    return dict(debate)


def _uid(debate: Mapping[str, Any]) -> str:
    """The puzzle by its text: numbers of games repeat between files."""
    return f"puzzle-{text_digest(str(debate['game_text']))[:12]}"


def _rounds(path: Path, debate: Mapping[str, Any]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Round number and its whole assignments."""
    yield 0, listed(debate, "initial_proposals", str(path))
    for round_ in listed(debate, "debate_rounds", str(path)):
        said = listed(round_, "agent_responses", str(path))
        yield int(round_["round_number"]), [one for one in said if one["phase"] == "self_adjustment"]


def _blocks(path: Path, debate: Mapping[str, Any]) -> Iterator[tuple[Row, list[Row]]]:
    truth = debate["ground_truth_solution"]
    for number, responses in _rounds(path, debate):
        block = block_row(path.stem, _uid(debate), number, difficulty=float(len(truth)))
        yield block, [_poll(block, one, order, truth) for order, one in enumerate(responses)]


def _poll(block: Row, said: Mapping[str, Any], order: int, truth: Mapping[str, str]) -> Row:
    roles = said["player_role_assignments"]
    stated = said.get("confidence")
    return poll_row(
        block,
        str(said["agent_name"]),
        order,
        score_raw=float(stated) if stated else None,
        parse_ok=bool(roles) and not said.get("error"),
        has_candidate=bool(roles),
        answer=role_form(roles) if roles else None,
        answer_norm=role_form(roles) if roles else None,
        correct=accuracy(roles, truth) == 1.0 if roles else None,
        reason=said.get("explanation") or None,
    )


def accuracy(roles: Mapping[str, str], truth: Mapping[str, str]) -> float:
    """Share of the players whose role is right; a player left out is wrong."""
    return sum(roles.get(player) == role for player, role in truth.items()) / len(truth)


def _outcome(path: Path, debate: Mapping[str, Any]) -> Row:
    said = [one for _, responses in _rounds(path, debate) for one in responses]
    said += [
        one
        for r in debate["debate_rounds"]
        for one in r["agent_responses"]
        if one["phase"] != "self_adjustment"
    ]
    usage = [(one.get("response_obj") or {}).get("usage") or {} for one in said]
    vote = debate["final_vote"] or {}
    return {
        "trace": path.stem,
        "mode": BROADCAST,
        "problem_uid": _uid(debate),
        "tier": None,
        "passed": accuracy(vote, debate["ground_truth_solution"]) == 1.0,
        "answer_norm": role_form(vote) if vote else None,
        "rounds": len(debate["debate_rounds"]),
        "calls": len(said),
        "tokens": sum(int(used.get("total") or 0) for used in usage) or None,
        "seconds": None,
    }


def _differences(path: Path, debate: Mapping[str, Any]) -> list[Listed]:
    stored = debate.get("performance_tracking") or {}
    expected = {0: stored.get("initial_accuracy") or {}}
    for row in stored.get("round_by_round") or ():
        expected[int(row["round"])] = row["agent_accuracy"]
    found = []
    for number, responses in _rounds(path, debate):
        for one in responses:
            own = accuracy(one["player_role_assignments"], debate["ground_truth_solution"])
            told = expected.get(number, {}).get(one["agent_name"])
            if told is not None and abs(told - own) > 1e-9:
                place = f"{path.stem} round {number} {one['agent_name']}"
                found.append(Listed(place, f"stored accuracy {told:g}, own assignments give {own:g}"))
    return found
