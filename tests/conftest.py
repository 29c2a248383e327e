"""Fixtures shared by all tests; and whoever starts a thread, a process or a socket has to say so."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import ROOT

# The last three are whole studies or clusters: concurrent by nature, and too long for `make test-steady`.
CONCURRENT = ("concurrent", "dag", "kill", "slurm")
EVENTS = {"subprocess.Popen": "a process", "os.fork": "a process", "socket.__new__": "a socket"}
_started: set[str] = set()


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root."""
    return ROOT


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fix", action="store_true", help="write generated files anew instead of comparing them"
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Say how to repeat this order of tests; `-q` leaves out the header that says it otherwise."""
    seed = session.config.getoption("randomly_seed", None)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if seed is not None and reporter is not None and reporter.verbosity < 0:
        reporter.write_line(f"random order; the same again: --randomly-seed={seed}")


def _note_event(event: str, arguments: tuple[object, ...]) -> None:
    if event in EVENTS:
        _started.add(EVENTS[event])


def _note_threads() -> None:
    start = threading.Thread.start

    def noted(self: threading.Thread) -> None:
        # The one that watches progress bars is started by whichever test draws the first of them.
        if not type(self).__module__.startswith("tqdm."):
            _started.add("a thread")
        start(self)

    threading.Thread.start = noted  # type: ignore[method-assign]


sys.addaudithook(_note_event)
_note_threads()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that starts something concurrent, its fixtures included, without a marker that says so."""
    result = yield
    if _started and not any(item.get_closest_marker(name) for name in CONCURRENT):
        pytest.fail(f"starts {' and '.join(sorted(_started))}: mark it `concurrent`", pytrace=False)
    return result
