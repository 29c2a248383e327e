"""Progress of a long stage: a bar on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import sys
import time
from typing import Never, Protocol, TextIO

from tqdm import tqdm

_LOG_EVERY_S = 30.0


class Progress(Protocol):
    """Told how many requests there are, and of each one that ends."""

    def start(self, total: int, reused: int) -> None:
        """`total` requests will be sent; `reused` more were found finished."""
        ...

    def advance(self, n: int = 1) -> None:
        """`n` more requests ended."""
        ...

    def stop(self) -> None:
        """The stage ended."""
        ...


class Silent:
    """Shows nothing."""

    def start(self, total: int, reused: int) -> None:
        """Nothing to show."""

    def advance(self, n: int = 1) -> None:
        """Nothing to show."""

    def stop(self) -> None:
        """Nothing to show."""


class Bar:
    """A bar with rate and time left, for a terminal."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._bar: tqdm[Never] | None = None

    def start(self, total: int, reused: int) -> None:
        """Draw the bar."""
        self._bar = tqdm(total=total, desc=f"{self._label} ({reused} reused)", unit="req", file=self._stream)

    def advance(self, n: int = 1) -> None:
        """Move the bar on."""
        if self._bar is not None:
            self._bar.update(n)

    def stop(self) -> None:
        """Leave the finished bar on its line."""
        if self._bar is not None:
            self._bar.close()


class Lines:
    """A line every half minute and one at the end, for a log."""

    def __init__(self, label: str, stream: TextIO, every_s: float = _LOG_EVERY_S) -> None:
        self._label = label
        self._stream = stream
        self._every_s = every_s
        self._total = self._done = 0
        self._began = self._told = 0.0

    def start(self, total: int, reused: int) -> None:
        """Say what will be done."""
        self._total, self._done = total, 0
        self._began = self._told = time.monotonic()
        print(f"{self._label}: {total} requests to send, {reused} reused", file=self._stream, flush=True)

    def advance(self, n: int = 1) -> None:
        """Count, and say so when it is time."""
        self._done += n
        if time.monotonic() - self._told >= self._every_s:
            self._tell()

    def stop(self) -> None:
        """Say how it ended."""
        self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        rate = self._done / max(self._told - self._began, 1e-9)
        left = f"{(self._total - self._done) / rate:.0f} s left" if rate > 0 else "time left unknown"
        counts = f"{self._done}/{self._total} requests, {rate:.2f} per s, {left}"
        print(f"{self._label}: {counts}", file=self._stream, flush=True)


def progress_for(label: str, stream: TextIO | None = None) -> Progress:
    """A bar where `stream` (standard error by default) is a terminal, else lines."""
    out = sys.stderr if stream is None else stream
    return Bar(label, out) if out.isatty() else Lines(label, out)
