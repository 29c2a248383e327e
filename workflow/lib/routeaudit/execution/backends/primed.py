"""Engine states behind shared prefixes, kept as files and put back before every request.

llama.cpp keeps the keys and values of the last prompt and computes only what differs from it. How much
differs decides how tokens are batched, and batching changes rounding: an answer would depend on what was
asked before. Putting the same state back before every request of a prefix makes answers independent of it,
at a few milliseconds each.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from routeaudit.execution.backends.base import InfrastructureError
from routeaudit.execution.requests import Message

Prefix = tuple[Message, ...]
# Seven megabytes each for 300 tokens of the embedded model; requests come sorted, so few are in use.
_KEPT = 8
# No environment variable may send what stays on this machine through a proxy.
_LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class PrimedStates:
    """The states of one engine with one slot, which writes them to `folder` and listens at `address`.

    Parameters
    ----------
    prime : computes a prefix from nothing and leaves the engine behind it; False where the engine refuses it
    """

    def __init__(self, address: str, folder: Path, prime: Callable[[Prefix], bool]) -> None:
        self._slot = f"{address}/slots/0"
        self._folder = folder
        self._prime = prime
        self._files: OrderedDict[Prefix, str] = OrderedDict()
        self._made = 0

    def enter(self, prefix: Prefix) -> None:
        """Bring the engine into the state behind `prefix`.

        Raises
        ------
        InfrastructureError : the engine could not write or read the state
        """
        if prefix in self._files:
            self._files.move_to_end(prefix)
            self._act("restore", self._files[prefix])
        elif self._prime(prefix):
            self._keep(prefix)

    def _keep(self, prefix: Prefix) -> None:
        while len(self._files) >= _KEPT:
            (self._folder / self._files.popitem(last=False)[1]).unlink()
        self._made += 1
        name = f"{self._made}.state"
        self._act("save", name)
        self._files[prefix] = name

    def _act(self, action: str, name: str) -> None:
        request = urllib.request.Request(
            f"{self._slot}?action={action}",
            data=json.dumps({"filename": name}).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with _LOCAL.open(request) as answer:
                json.load(answer)
        except (OSError, ValueError) as error:
            said = error.read().decode() if isinstance(error, urllib.error.HTTPError) else str(error)
            raise InfrastructureError(
                f"llama.cpp could not {action} a prompt's state in {self._folder} (TMPDIR): {said}"
            ) from error
