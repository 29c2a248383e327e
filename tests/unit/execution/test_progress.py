"""Progress: a bar for a person, lines for a log."""

from __future__ import annotations

import io

import pytest

from routeaudit.execution.progress import Bar, Lines, progress_for

pytestmark = pytest.mark.concurrent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_and_a_log_gets_lines() -> None:
    assert isinstance(progress_for("workers", Terminal()), Bar)
    assert isinstance(progress_for("workers", io.StringIO()), Lines)


def test_the_bar_names_the_stage_and_counts() -> None:
    terminal = Terminal()
    bar = progress_for("workers", terminal)
    bar.start(total=3, reused=2)
    bar.advance(3)
    bar.stop()
    assert "workers (2 reused): 100%" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()


def test_lines_say_how_many_at_what_rate_and_how_long_yet() -> None:
    log = io.StringIO()
    lines = Lines("finals", log, every_s=0.0)
    lines.start(total=2, reused=5)
    lines.advance()
    lines.advance()
    lines.stop()
    told = log.getvalue().splitlines()
    assert told[0] == "finals: 2 requests to send, 5 reused"
    assert told[1].startswith("finals: 1/2 requests, ")
    assert told[1].endswith(" s left")
    assert told[-1].endswith(" per s, 0 s left")


def test_lines_are_rare_in_between() -> None:
    log = io.StringIO()
    lines = Lines("finals", log, every_s=3600.0)
    lines.start(total=100, reused=0)
    lines.advance(99)
    assert len(log.getvalue().splitlines()) == 1
