"""The end of an outer round: approval rounds on the candidate, then the evaluator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from routeaudit.config.deliberation import ApprovalConfig, ModelEvaluator, ReferenceEvaluator
from routeaudit.deliberation.equivalence.normalise import normalise
from routeaudit.deliberation.equivalence.rules import matches_reference
from routeaudit.deliberation.protocol.panel import Ask, Reply
from routeaudit.deliberation.protocol.replies import Ballot, Evaluation, read_ballot, read_evaluation
from routeaudit.deliberation.protocol.requests import ballot_schema, evaluation_schema, request
from routeaudit.deliberation.protocol.stages import Table
from routeaudit.deliberation.protocol.state import Discussion, Incumbent, Vote
from routeaudit.deliberation.protocol.views import Seat, view
from routeaudit.execution import Request

EVALUATOR = "evaluator"


def submitted(discussion: Discussion) -> str | None:
    """The answer under review: the incumbent, else the last public answer."""
    if discussion.incumbent is not None:
        return discussion.incumbent.answer
    answers = [speech.answer for _, speech in discussion.speeches if speech.answer]
    return answers[-1] if answers else None


def vote(table: Table, running: Sequence[Discussion], round_: int, approval_round: int) -> list[Discussion]:
    """One approval round for every discussion that has a candidate and has not approved it yet."""
    config = table.protocol.approval

    def build(discussion: Discussion, seat: Seat) -> Request:
        given = submitted(discussion) or ""
        text = view("approve", discussion, seat, table.protocol, candidate=given)
        return request(
            config.prompt,
            text,
            table.pool.temperature,
            table.pool.seed + seat.number,
            discussion.replicate,
            ballot_schema(),
        )

    voting = [d for d in running if not d.approved and submitted(d) is not None]
    wanted = [(discussion, seat) for discussion in voting for seat in table.seats]
    answered = iter(table.batch("approve", wanted, build))
    voted = {
        d.trace: _voted(
            d, [reply for _, reply in islice(answered, len(table.seats))], table, round_, approval_round
        )
        for d in voting
    }
    return [voted.get(discussion.trace, discussion) for discussion in running]


def _voted(
    discussion: Discussion, replies: Sequence[Reply], table: Table, round_: int, approval_round: int
) -> Discussion:
    ballots = [read_ballot(reply.completion) for reply in replies]
    candidate = submitted(discussion)
    cast = tuple(zip((seat.agent for seat in table.seats), ballots, strict=True))
    after = discussion.charged([reply.completion for reply in replies])
    after = replace(after, votes=(*after.votes, Vote(round_, approval_round, candidate, cast)))
    if _approved(ballots, table.protocol.approval):
        return replace(after, approved=True)
    revised = _majority_revision(after, ballots, table.protocol.approval)
    return after if revised is None else replace(after, incumbent=Incumbent(revised, None))


def _approved(ballots: Sequence[Ballot], config: ApprovalConfig) -> bool:
    approving = sum(ballot.approve is True for ballot in ballots)
    needed = len(ballots) if config.rule == "unanimous" else len(ballots) // 2 + 1
    return approving >= needed


def _majority_revision(
    discussion: Discussion, ballots: Sequence[Ballot], config: ApprovalConfig
) -> str | None:
    """The answer that more than half of the agents propose instead of the candidate."""
    if config.update == "none":
        return None
    proposed = [b.revision for b in ballots if b.approve is False and b.revision is not None]
    forms = [normalise(discussion.problem, text) for text in proposed]
    if not forms:
        return None
    form, count = Counter(forms).most_common(1)[0]
    current = normalise(discussion.problem, submitted(discussion) or "")
    if count <= len(ballots) // 2 or form == current:
        return None
    return proposed[forms.index(form)]


def evaluate(table: Table, running: Sequence[Discussion]) -> list[Discussion]:
    """Evaluate the submitted answer of every discussion; one without an answer fails."""
    config = table.protocol.evaluator
    if isinstance(config, ReferenceEvaluator):
        return [_closed(d, _by_reference(d, config)) for d in running]
    asked = [d for d in running if submitted(d) is not None]
    answers = table.panel.ask(
        "evaluate", [Ask(EVALUATOR, _evaluation_request(table, d, config)) for d in asked]
    )
    replies = {d.trace: reply.completion for d, reply in zip(asked, answers, strict=True)}
    return [
        _closed(
            d.charged([replies[d.trace]]), read_evaluation(replies[d.trace], d.problem, config.withheld_hint)
        )
        if d.trace in replies
        else _closed(d, Evaluation(False, False, config.withheld_hint))
        for d in running
    ]


def _evaluation_request(table: Table, discussion: Discussion, config: ModelEvaluator) -> Request:
    accepted = " or ".join((discussion.problem.answer, *discussion.problem.aliases))
    given = {"submitted": submitted(discussion) or "", "reference": accepted}
    text = view("evaluate", discussion, Seat(EVALUATOR, 0), table.protocol, **given)
    return request(config.prompt, text, schema=evaluation_schema())


def _by_reference(discussion: Discussion, config: ReferenceEvaluator) -> Evaluation:
    answer = submitted(discussion)
    right = answer is not None and matches_reference(discussion.problem, answer) is True
    return Evaluation(right, right, None if right else config.hint)


def _closed(discussion: Discussion, evaluation: Evaluation) -> Discussion:
    return replace(
        discussion, evaluations=(*discussion.evaluations, evaluation), passed=evaluation.passed is True
    )
