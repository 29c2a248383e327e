"""Public memory: which speeches a call sees, and in which words."""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.config.deliberation import MemoryConfig
from routeaudit.deliberation.protocol.state import Discussion, Speech


@dataclass(frozen=True)
class PublicMemory:
    """The visible part of the public discussion and the events it consists of."""

    text: str
    events: tuple[str, ...]


def public_memory(discussion: Discussion, config: MemoryConfig) -> PublicMemory:
    """What of the discussion is visible under a memory regime."""
    spoken = discussion.speeches
    if config.regime == "none":
        return PublicMemory("", ())
    older, recent = spoken[: -config.recent_window], spoken[-config.recent_window :]
    if config.regime == "full":
        older, recent = (), spoken
    if config.regime == "recent":
        older = ()
    lines = [_summary(speech) for _, speech in older] + [_in_full(speech) for _, speech in recent]
    return PublicMemory("\n".join(lines), tuple(event for event, _ in (*older, *recent)))


def _summary(speech: Speech) -> str:
    """An older speech in one line. A fixed rule and not a model, so that what was visible can be
    recomputed."""
    return f"{speech.agent} answered {speech.answer}." if speech.answer else f"{speech.agent} gave no answer."


def _in_full(speech: Speech) -> str:
    return f"{speech.agent}: {speech.text.strip()}"
