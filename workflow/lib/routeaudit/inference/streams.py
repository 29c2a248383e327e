"""Counter-based random streams keyed by a seed and a digest of the inputs.

A block of replicates owns a region of the Philox counter, so its numbers do not depend on how many threads
run, in which order blocks are computed, or how many replicates were asked for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


def digest_arrays(*arrays: npt.NDArray[np.generic]) -> str:
    """SHA-256 over dtype, shape and bytes of the arrays, in order."""
    state = hashlib.sha256()
    for array in arrays:
        contiguous = np.ascontiguousarray(array)
        state.update(f"{contiguous.dtype.str}{contiguous.shape}".encode())
        state.update(contiguous.data.cast("B") if contiguous.size else b"")
    return state.hexdigest()


@dataclass(frozen=True)
class Stream:
    """A named random stream: ``seed`` and ``digest`` key it, ``purpose`` separates uses of one study."""

    seed: int
    digest: str
    purpose: str = "bootstrap"

    def named(self, purpose: str) -> Stream:
        """The stream of another purpose under the same seed and digest."""
        return Stream(self.seed, self.digest, purpose)

    def generator(self, block: int) -> np.random.Generator:
        """Generator of one block: Philox key from (seed, digest, purpose), counter region from ``block``."""
        name = f"{self.seed}|{self.digest}|{self.purpose}".encode()
        key = np.frombuffer(hashlib.sha256(name).digest()[:16], dtype="<u8").astype(np.uint64)
        return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, block]))
