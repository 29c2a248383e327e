"""The stages of a turn. Each takes all running discussions at once and asks all their agents in one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from routeaudit.config.deliberation import PoolConfig, ProtocolConfig
from routeaudit.config.prompts import PromptConfig
from routeaudit.deliberation.equivalence.normalise import normalise
from routeaudit.deliberation.protocol.memory import public_memory
from routeaudit.deliberation.protocol.panel import Ask, Panel, Reply
from routeaudit.deliberation.protocol.replies import read_poll, spoken_answer
from routeaudit.deliberation.protocol.requests import poll_schema, request, seats, seen_digest
from routeaudit.deliberation.protocol.routing import Occasion, Offer, select
from routeaudit.deliberation.protocol.state import Discussion, Incumbent, Poll, Speech, Turn
from routeaudit.deliberation.protocol.views import Seat, view
from routeaudit.execution import Request

Build = Callable[[Discussion, Seat], Request]


@dataclass(frozen=True)
class Table:
    """What all stages share: the panel, the pool and the protocol. Agent a1 is the panel's member a1."""

    panel: Panel
    pool: PoolConfig
    protocol: ProtocolConfig

    @property
    def seats(self) -> tuple[Seat, ...]:
        return seats(self.pool)

    def asked(
        self,
        stage: str,
        prompt: PromptConfig,
        discussion: Discussion,
        seat: Seat,
        temperature: float | None = None,
        **given: str,
    ) -> Request:
        """The request of an agent for a free-text stage."""
        text = view(stage, discussion, seat, self.protocol, **given)
        warmth = self.pool.temperature if temperature is None else temperature
        return request(prompt, text, warmth, self.pool.seed + seat.number, discussion.replicate)

    def batch(
        self, stage: str, wanted: Sequence[tuple[Discussion, Seat]], build: Build
    ) -> list[tuple[Request, Reply]]:
        """Requests and replies of one stage, in the order of `wanted`."""
        requests = [build(discussion, seat) for discussion, seat in wanted]
        asks = [Ask(seat.agent, made) for (_, seat), made in zip(wanted, requests, strict=True)]
        return list(zip(requests, self.panel.ask(stage, asks), strict=True))


def poll(table: Table, running: Sequence[Discussion], round_: int, turn: int) -> list[Discussion]:
    """Poll every agent of every discussion, and route."""
    config = table.protocol.poll

    def build(discussion: Discussion, seat: Seat) -> Request:
        made = table.asked("poll", config.prompt, discussion, seat)
        schema = request(config.prompt, "", schema=poll_schema(discussion.problem, config)).schema
        return replace(made, schema=schema, logprobs=1 if config.confidence == "answer_tokens" else None)

    wanted = [(discussion, seat) for discussion in running for seat in table.seats]
    answered = iter(table.batch("poll", wanted, build))
    return [
        _polled(discussion, list(islice(answered, len(table.seats))), table, round_, turn)
        for discussion in running
    ]


def _polled(
    discussion: Discussion, answered: Sequence[tuple[Request, Reply]], table: Table, round_: int, turn: int
) -> Discussion:
    polls = tuple(
        Poll(
            seat.agent,
            seat.number,
            read_poll(reply.completion, table.protocol.poll),
            seen_digest(made),
            reply.key,
        )
        for seat, (made, reply) in zip(table.seats, answered, strict=True)
    )
    occasion = Occasion(f"{discussion.trace}|{round_}.{turn}", len(discussion.turns))
    chosen = select([_offer(discussion, p) for p in polls], occasion, table.protocol.routing)
    seen = public_memory(discussion, table.protocol.memory).events
    made = Turn(round_, turn, discussion.incumbent, seen, polls, chosen.agent, table.protocol.routing.rule)
    return discussion.with_turn(made).charged([reply.completion for _, reply in answered])


def _offer(discussion: Discussion, polled: Poll) -> Offer:
    reply = polled.reply
    offered = reply.has_candidate and reply.answer is not None
    form = normalise(discussion.problem, reply.answer or "") if offered else ""
    return Offer(polled.agent, reply.score, form or None)


def speak(table: Table, running: Sequence[Discussion]) -> list[Discussion]:
    """Let the selected agent of every discussion speak in public."""
    config = table.protocol.speak
    seat_of = {seat.agent: seat for seat in table.seats}

    def build(discussion: Discussion, seat: Seat) -> Request:
        # The view is that of before the poll: the turn that is under way has no speech yet.
        return table.asked("speak", config.prompt, discussion, seat, config.temperature)

    wanted = [(discussion, seat_of[discussion.turns[-1].selected]) for discussion in running]
    return [
        _spoken(discussion, seat, made, reply, table)
        for (discussion, seat), (made, reply) in zip(wanted, table.batch("speak", wanted, build), strict=True)
    ]


def _spoken(discussion: Discussion, seat: Seat, made: Request, reply: Reply, table: Table) -> Discussion:
    completion = reply.completion
    # A speech cut off or empty states nothing; its text is kept as it is.
    usable = completion.status == "ok" and completion.finish_reason != "length"
    answer = spoken_answer(completion.text, discussion.problem, table.protocol.speak) if usable else None
    speech = Speech(seat.agent, completion.text, answer, seen_digest(made), reply.key)
    turn = replace(discussion.turns[-1], speech=speech)
    after = discussion.with_turn(turn).charged([completion])
    return replace(after, incumbent=_incumbent(after, turn, table.protocol.incumbent))


def _incumbent(discussion: Discussion, turn: Turn, rule: str) -> Incumbent | None:
    said = turn.speech.answer if turn.speech else None
    if rule == "none" or said is None:
        return discussion.incumbent
    if rule == "latest_spoken" or discussion.incumbent is None:
        return Incumbent(said, turn.event)
    return discussion.incumbent


def take_notes(table: Table, running: Sequence[Discussion]) -> list[Discussion]:
    """Let agents that did not get the turn, and scored at least the threshold, write a private note."""
    config = table.protocol.notes
    if not config.enabled:
        return list(running)

    def build(discussion: Discussion, seat: Seat) -> Request:
        return table.asked("note", config.prompt, discussion, seat)

    wanted = [
        (discussion, seat)
        for discussion in running
        for seat, polled in zip(table.seats, discussion.turns[-1].polls, strict=True)
        if polled.agent != discussion.turns[-1].selected and (polled.reply.score or 0.0) >= config.threshold
    ]
    answered = table.batch("note", wanted, build)
    written = {
        (discussion.trace, seat.agent): reply
        for (discussion, seat), (_, reply) in zip(wanted, answered, strict=True)
    }
    return [_noted(discussion, written) for discussion in running]


def _noted(discussion: Discussion, written: dict[tuple[str, str], Reply]) -> Discussion:
    turn, after = discussion.turns[-1], discussion
    polls = []
    for polled in turn.polls:
        reply = written.get((discussion.trace, polled.agent))
        if reply is not None:
            after = after.charged([reply.completion])
        text = None if reply is None else reply.completion.text.strip()
        polls.append(replace(polled, note=text or None))
    return after.with_turn(replace(turn, polls=tuple(polls)))
