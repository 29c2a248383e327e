"""The sandbox behind its pipe: the protocol, its digest, and what is said when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from routeaudit.cover.benchmarks.toolsandbox.families import FAMILY_TOOLS
from routeaudit.cover.play.player import play
from routeaudit.cover.play.scripted import Scripted
from routeaudit.cover.play.world import open_sandbox
from routeaudit.errors import InputError
from unit.play.fake_sandbox import interpreter
from unit.play.worlds import played

pytestmark = pytest.mark.concurrent

ALL = frozenset(tool for tools in FAMILY_TOOLS.values() for tool in tools)


@pytest.mark.parametrize("name", ["wifi", "boss", "mail", "impossible", "twice"])
def test_a_play_over_the_pipe_is_the_play_without_it(name: str, tmp_path: Path) -> None:
    with open_sandbox(interpreter(tmp_path), None) as world:
        done = play(world, name, ALL, lambda d, o: Scripted(d, o, world.extract))
    assert done == played(name, ALL)


def test_an_interpreter_must_be_declared() -> None:
    with pytest.raises(InputError, match="toolsandbox_python"), open_sandbox(None, None):
        pass


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-python"), open_sandbox(str(tmp_path / "no-python"), None):
        pass


def test_an_interpreter_without_toolsandbox_is_told_by_its_last_words(tmp_path: Path) -> None:
    python = interpreter(tmp_path, "--broken")
    with pytest.raises(InputError, match="No module named 'tool_sandbox'"), open_sandbox(python, None):
        pass


def test_another_toolsandbox_than_the_declared_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="digest"), open_sandbox(interpreter(tmp_path), "1" * 64):
        pass


def test_a_scenario_that_the_sandbox_lacks_is_named(tmp_path: Path) -> None:
    with open_sandbox(interpreter(tmp_path), None) as world, pytest.raises(InputError, match="'moon'"):
        world.demands("moon")


def test_a_call_of_a_tool_that_the_agent_lacks_ends_the_run(tmp_path: Path) -> None:
    with open_sandbox(interpreter(tmp_path), None) as world:
        world.start("wifi", frozenset())
        with pytest.raises(InputError, match="seen_set_wifi_status"):
            world.call("seen_set_wifi_status", {"on": True})
