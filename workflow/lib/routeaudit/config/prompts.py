"""Texts of the deliberation's calls: instruction, worked examples and length, with plain defaults."""

from __future__ import annotations

from pydantic import Field

from routeaudit.config.base import Section


class PromptExample(Section):
    """A worked example."""

    asked: str
    """The user's message."""
    answered: str
    """The assistant's reply."""


class PromptConfig(Section):
    """What one kind of call says."""

    instruction: str
    """System message."""
    examples: tuple[PromptExample, ...] = ()
    """Worked examples, shown before every request."""
    max_tokens: int = Field(default=1024, ge=1)
    """Longest reply, in tokens."""
    stop: tuple[str, ...] = ()
    """A reply ends before any of these texts."""


POLL = PromptConfig(
    instruction=(
        "You take part in a discussion of a problem. Reply in JSON: score (0 to 100, your confidence that "
        "your candidate answer is correct), reason (one sentence), intent (what you would do with the turn), "
        "candidate_answer, has_candidate_answer. Nobody but the moderator sees the reply."
    )
)
SPEAK = PromptConfig(
    instruction=(
        "You have the turn in a discussion of a problem. Speak to the others. End with your answer in "
        "\\boxed{} if you have one."
    )
)
NOTE = PromptConfig(
    instruction=(
        "You did not get the turn. Write a short private note to yourself: what you would have said."
    ),
    max_tokens=256,
)
APPROVE = PromptConfig(
    instruction=(
        "Review the candidate answer. Reply in JSON: approve (true or false) and revision (your answer; "
        "repeat the candidate if you approve)."
    ),
    max_tokens=256,
)
EVALUATE = PromptConfig(
    instruction=(
        "Compare the submitted answer with the reference answer. Reply in JSON: verdict (PASS or FAIL), "
        "correct (true or false), hint (one sentence that helps to repair the answer without revealing it)."
    ),
    max_tokens=256,
)
SOLVE = PromptConfig(instruction="Solve the problem. End with your answer in \\boxed{}.")
REVISE = PromptConfig(
    instruction="Check your solution of the problem and correct it. End with your answer in \\boxed{}."
)
JUDGE = PromptConfig(
    instruction=(
        "Two answers to one problem are given. Are they the same answer, perhaps in other words or another "
        "form? Reply in JSON: verdict (equivalent or divergent)."
    ),
    max_tokens=32,
)
