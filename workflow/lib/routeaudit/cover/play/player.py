"""One play: a role acts in the world until the conversation ends, then the world evaluates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from routeaudit.cover.play.demands import Demands
from routeaudit.cover.play.roles import Call, Fault, Role, Say
from routeaudit.cover.play.world import Evaluation, Opening, Reply, World
from routeaudit.tables import canonical_json
from routeaudit.tables.artifacts import STATUS_OK

GO_ON = "Please go on. You know all that I know."

NewRole = Callable[[Demands, Opening], Role]


@dataclass(frozen=True)
class Played:
    """What was done and what it was worth; no `evaluation` where the role failed.

    Parameters
    ----------
    actions : tool calls as JSON and messages to the user, in order
    """

    actions: tuple[str, ...]
    evaluation: Evaluation | None
    status: str


def play(world: World, scenario: str, tools: frozenset[str], new_role: NewRole) -> Played:
    """Play `scenario` with an agent that has these of its tools alone.

    The user is scripted: it asks to go on until the agent has spoken as often as the milestones ask, at least
    once, and then ends the conversation.

    Raises
    ------
    InputError : no such scenario, or the sandbox ended
    """
    demands = world.demands(scenario)
    role = new_role(demands, world.start(scenario, tools & demands.tools))
    due = max(demands.messages_due, 1)
    actions: list[str] = []
    heard: Reply | str | None = None
    while world.open:
        action = role.act(heard)
        if isinstance(action, Fault):
            return Played(tuple(actions), None, action.status)
        actions.append(_told(action))
        if isinstance(action, Call):
            heard = world.call(action.tool, action.arguments)
        else:
            world.say(action.text)
            due -= 1
            heard = _user(world, due)
    return Played(tuple(actions), world.evaluate(), STATUS_OK)


def _user(world: World, due: int) -> str:
    if not world.open:
        return ""
    if due <= 0:
        world.end()
        return ""
    world.answer(GO_ON)
    return GO_ON


def _told(action: Call | Say) -> str:
    if isinstance(action, Say):
        return action.text
    return f"{action.tool}({canonical_json(dict(action.arguments))})"
