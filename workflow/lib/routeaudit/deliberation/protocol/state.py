"""A running deliberation as immutable records; every table of the trace follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.replies import Ballot, Evaluation, PollReply
from routeaudit.execution import Completion


@dataclass(frozen=True)
class Incumbent:
    """The system's current answer and the speech it came from; no event where an approval round set it."""

    answer: str
    event: str | None


@dataclass(frozen=True)
class Poll:
    """One agent's poll. `order` is the place in which the router saw it."""

    agent: str
    order: int
    reply: PollReply
    seen: str
    key: str
    note: str | None = None


@dataclass(frozen=True)
class Speech:
    """What the selected agent said in public, and the answer read out of it."""

    agent: str
    text: str
    answer: str | None
    seen: str
    key: str


@dataclass(frozen=True)
class Turn:
    """A poll of all agents and the speech that followed; `public_seen` lists the speeches visible in both."""

    round: int
    turn: int
    incumbent: Incumbent | None
    public_seen: tuple[str, ...]
    polls: tuple[Poll, ...]
    selected: str
    rule: str
    speech: Speech | None = None

    @property
    def event(self) -> str:
        return f"{self.round}.{self.turn}"


@dataclass(frozen=True)
class Vote:
    """One approval round on a candidate, ballots by agent."""

    round: int
    approval_round: int
    candidate: str | None
    ballots: tuple[tuple[str, Ballot], ...]


@dataclass(frozen=True)
class Spent:
    """Cost of the calls made so far."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def plus(self, completion: Completion) -> Spent:
        used = completion.usage.prompt_tokens + completion.usage.completion_tokens
        return Spent(self.calls + 1, self.tokens + used, self.seconds + completion.seconds)


@dataclass(frozen=True)
class Discussion:
    """One deliberation on one problem.

    Parameters
    ----------
    turns, votes, evaluations : everything that happened, in order
    incumbent : the system's current answer
    approved : whether the last vote approved it
    passed : the evaluator's verdict on the last submission; None before the first
    """

    trace: str
    problem: Problem
    replicate: int
    agents: tuple[str, ...]
    turns: tuple[Turn, ...] = ()
    votes: tuple[Vote, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    incumbent: Incumbent | None = None
    approved: bool = False
    passed: bool | None = None
    spent: Spent = field(default_factory=Spent)

    @property
    def speeches(self) -> tuple[tuple[str, Speech], ...]:
        """Public speeches with their event names, oldest first."""
        return tuple((turn.event, turn.speech) for turn in self.turns if turn.speech is not None)

    @property
    def feedback(self) -> str | None:
        """The evaluator's last hint."""
        return self.evaluations[-1].hint if self.evaluations else None

    def with_turn(self, turn: Turn) -> Discussion:
        """With the current turn replaced, or begun where it is a new one."""
        begun = bool(self.turns) and self.turns[-1].event == turn.event
        return replace(self, turns=(*(self.turns[:-1] if begun else self.turns), turn))

    def charged(self, completions: Sequence[Completion]) -> Discussion:
        """With the cost of these calls added."""
        spent = self.spent
        for completion in completions:
            spent = spent.plus(completion)
        return replace(self, spent=spent)
