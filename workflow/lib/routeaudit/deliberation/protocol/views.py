"""Visibility: what each stage may see (the paper's table 7), as data, and the one place that renders it.

Polls, their scores and reasons have no section here, so no later call can see them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from routeaudit.config.deliberation import ProtocolConfig
from routeaudit.deliberation.protocol.memory import public_memory
from routeaudit.deliberation.protocol.state import Discussion

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Seat:
    """Who looks: an agent, the number of its seat, and its persona."""

    agent: str
    number: int
    persona: str = ""


# Sections in the order of the prompt; the question comes last because small models attend to what is near.
VISIBLE: Mapping[str, tuple[str, ...]] = {
    "poll": (
        "persona",
        "options",
        "brief",
        "feedback",
        "public",
        "candidate",
        "own_notes",
        "own_history",
        "question",
    ),
    "note": (
        "persona",
        "options",
        "brief",
        "feedback",
        "public",
        "candidate",
        "own_notes",
        "own_history",
        "question",
    ),
    "speak": ("persona", "options", "brief", "public", "candidate", "question"),
    "approve": ("persona", "options", "brief", "public", "question", "candidate"),
    "solve": ("persona", "options", "brief", "question"),
    "revise": ("persona", "options", "brief", "own_solution", "question"),
    "evaluate": ("question", "submitted", "reference"),
}

# The same in the words of table 7, for the trace and its card.
SURFACE: tuple[Mapping[str, str], ...] = (
    {
        "stage": "Poll",
        "visible": "Problem and own brief, evaluator feedback, current candidate, public memory, own "
        "deferred notes, own speaking history",
        "output": "Structured JSON: score, reason, intent, candidate_answer, has_candidate_answer",
        "role": "Gives the candidate and the score used to allocate the turn",
    },
    {
        "stage": "Router",
        "visible": "The poll outputs of all agents",
        "output": "One speaker",
        "role": "Allocates the turn",
    },
    {
        "stage": "Speak",
        "visible": "Problem and own brief, public memory, system incumbent; no poll, not even the own one",
        "output": "Free-form public message with an answer",
        "role": "Enters the public transcript and may diverge from the poll",
    },
    {
        "stage": "Evaluator",
        "visible": "Problem, submitted answer, reference",
        "output": "PASS or FAIL, correctness, hint that does not leak",
        "role": "Ends the deliberation or gives feedback for the next round",
    },
)


def view(stage: str, discussion: Discussion, seat: Seat, protocol: ProtocolConfig, **given: str) -> str:
    """The user's message of a stage: its visible sections that are not empty, one after the other.

    `given` fills sections that are no part of the discussion: `own_solution`, `submitted`, `reference`.
    """
    parts = []
    for section in VISIBLE[stage]:
        text = given[section] if section in given else _SECTIONS[section](discussion, seat, protocol)
        if text:
            parts.append(_TITLES[section].format(text))
    return "\n".join(parts)


def _options(discussion: Discussion, seat: Seat, protocol: ProtocolConfig) -> str:
    options = discussion.problem.options if protocol.show_options else ()
    return "; ".join(f"{letter}) {option}" for letter, option in zip(_LETTERS, options, strict=False))


def _public(discussion: Discussion, seat: Seat, protocol: ProtocolConfig) -> str:
    return public_memory(discussion, protocol.memory).text


def _candidate(discussion: Discussion, seat: Seat, protocol: ProtocolConfig) -> str:
    return discussion.incumbent.answer if discussion.incumbent else ""


def _own_notes(discussion: Discussion, seat: Seat, protocol: ProtocolConfig) -> str:
    polls = [poll for turn in discussion.turns for poll in turn.polls if poll.agent == seat.agent]
    return "\n".join(poll.note for poll in polls if poll.note)


def _own_history(discussion: Discussion, seat: Seat, protocol: ProtocolConfig) -> str:
    """Own answers that the public memory no longer shows in full, too: an agent knows what it said."""
    own = [speech for _, speech in discussion.speeches if speech.agent == seat.agent]
    return "; ".join(speech.answer for speech in own if speech.answer)


_Section = Callable[[Discussion, Seat, ProtocolConfig], str]
_SECTIONS: Mapping[str, _Section] = {
    "persona": lambda discussion, seat, protocol: seat.persona,
    "options": _options,
    "brief": lambda discussion, seat, protocol: discussion.problem.brief(seat.number),
    "feedback": lambda discussion, seat, protocol: discussion.feedback or "",
    "public": _public,
    "candidate": _candidate,
    "own_notes": _own_notes,
    "own_history": _own_history,
    "question": lambda discussion, seat, protocol: discussion.problem.question,
}
_TITLES: Mapping[str, str] = {
    "persona": "{}",
    "options": "Options: {}",
    "brief": "{}",
    "feedback": "Feedback: {}",
    "public": "Discussion:\n{}",
    "candidate": "Current answer: {}",
    "own_notes": "My notes: {}",
    "own_history": "I said before: {}",
    "question": "{}",
    "own_solution": "My solution: {}",
    "submitted": "Submitted answer: {}",
    "reference": "Reference answer: {}",
}
